/**
 * Agent and runtime are killed in the middle of rollouts, again and again.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { pause, waitUntil } from "../../scripts/lib/wait_until.ts";
import { runningNames } from "../support/e2e/inside.ts";
import { storeSet, storesOf } from "../support/e2e/store_set.ts";
import { versionsOfAre, webDeployment } from "../support/e2e/web_deployment.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";
import { seededRandom } from "../support/seeded_random.ts";

/** How often something is killed. */
const CUTS = 50;
/** What is killed, at random. */
const VICTIMS: readonly (readonly ("agent" | "runtime")[])[] = [
  ["agent"],
  ["runtime"],
  ["agent", "runtime"],
];
/** So many kills come before it is looked at whether all has come right. */
const BETWEEN_LOOKS = 5;
/** Members of the StatefulSet; each has a claim. */
const STORES = ["store-0", "store-1"];

withRuntime("rollouts that are cut", (test) => {
  test(`${CUTS} times rollouts are cut by kills of agent and runtime, and come right with the claims that they had`, async (runtime) => {
    const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    // deno-lint-ignore no-console -- with it a failure can be repeated
    console.log(`seed ${seed}`);
    const random = seededRandom(seed);
    await using agent = await AgentProcess.start(runtime.agentOptions());
    await agent.apply("store.json", storeSet(STORES.length, "v0"));
    await agent.until(
      "both stores",
      (pods) => storesOf(pods, "v0") === STORES.join(),
    );
    const claims = new Claims(agent);
    await claims.untilNoted();
    for (let cut = 1; cut <= CUTS; cut++) {
      const version = `v${cut}`;
      const replicas = 1 + Math.floor(random.next() * 4);
      const stores = 1 + Math.floor(random.next() * STORES.length);
      await agent.apply("web.json", webDeployment(version, replicas));
      await agent.apply("store.json", storeSet(stores, version));
      await pause(random.next() * 700);
      const victims = VICTIMS[Math.floor(random.next() * VICTIMS.length)] ?? [];
      for (const victim of victims) {
        if (victim === "agent") await agent.kill();
        else await runtime.rig.killRuntime();
      }
      await claims.check();
      if (victims.includes("runtime")) await runtime.rig.startRuntime();
      if (victims.includes("agent")) await agent.start();
      const names = await runningNames(runtime);
      // A name that runs twice is there twice.
      deepStrictEqual(names, [...new Set(names)], `${cut}: ${victims}`);
      if (cut % BETWEEN_LOOKS > 0) continue;
      const wanted = Array.from({ length: replicas }, () => version);
      const isWebRight = versionsOfAre("web", ...wanted);
      await agent.until(
        `${replicas} pods and ${stores} stores of ${version}`,
        (pods) =>
          isWebRight(pods) &&
          storesOf(pods, version) === STORES.slice(0, stores).join() &&
          pods.length === replicas + stores,
      );
      await claims.check();
      await claims.checkObjects();
      // A task for each container and each sandbox, and none besides.
      let tasks = 0;
      await waitUntil("nothing left of other versions", async () => {
        tasks = (await runtime.rig.tools.tasks()).size;
        return tasks === 2 * (replicas + stores);
      }, { saw: () => `${tasks} tasks` });
    }
    for (const name of ["web", "store"]) {
      await agent.removeManifest(`${name}.json`);
    }
    await agent.until("none left", (pods) => pods.length === 0);
    strictEqual((await runtime.rig.tools.tasks()).size, 0);
    // They are kept, as upstream does.
    await claims.check();
    await claims.checkObjects();
  });
});

/** The claims of the stores, as they were first, and as they must stay. */
class Claims {
  readonly #agent: AgentProcess;
  /** What each had in its notes when it was looked at last. */
  readonly #notes = new Map<string, string>();
  #uids: readonly string[] = [];

  constructor(agent: AgentProcess) {
    this.#agent = agent;
  }

  /** Waits until each store has noted its first start. */
  async untilNoted(): Promise<void> {
    await waitUntil("a note in each claim", async () => {
      for (const store of STORES) {
        this.#notes.set(store, await this.#notesOf(store).catch(() => ""));
      }
      return STORES.every((store) => this.#notes.get(store) === `${store}\n`);
    });
    this.#uids = await this.#objects();
    strictEqual(this.#uids.length, STORES.length);
  }

  /** None is lost, none is new, and each has the notes of before, at most with more. */
  async check(): Promise<void> {
    deepStrictEqual(
      (await Array.fromAsync(Deno.readDir(this.#path))).map(({ name }) => name)
        .toSorted(),
      STORES.map((store) => `data-${store}`),
    );
    for (const store of STORES) {
      const notes = await this.#notesOf(store);
      const before = this.#notes.get(store) ?? "";
      ok(notes.startsWith(before), `${before} became ${notes}`);
      ok(notes.split(`${store}\n`).every((rest) => rest === ""), notes);
      this.#notes.set(store, notes);
    }
  }

  /** The objects are those of before. */
  async checkObjects(): Promise<void> {
    deepStrictEqual(await this.#objects(), this.#uids);
  }

  get #path(): string {
    return `${this.#agent.rootDir}/claims/default`;
  }

  async #notesOf(store: string): Promise<string> {
    return await Deno.readTextFile(`${this.#path}/data-${store}/starts`);
  }

  async #objects(): Promise<readonly string[]> {
    const { text } = await this.#agent.get("/api/v1/persistentvolumeclaims");
    const { items }: {
      readonly items: readonly {
        readonly metadata: { readonly name: string; readonly uid: string };
      }[];
    } = JSON.parse(text);
    return items.map(({ metadata: { name, uid } }) => `${name} ${uid}`)
      .toSorted();
  }
}
