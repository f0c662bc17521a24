/**
 * Garbage in the manifest folder: a canary pod must not notice any of it.
 *
 * @module
 */

import { doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { hostileSample } from "../support/hostile/hostile_manifests.ts";
import { idOf, untilLogged } from "../support/e2e/inside.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { run } from "../../scripts/lib/runtime_tools.ts";
import { pause, waitUntil } from "../../scripts/lib/wait_until.ts";
import { type TestRuntime, withRuntime } from "../support/e2e/with_runtime.ts";

const RSS_TOLERANCE_BYTES = 30_000_000;

withRuntime("garbage", (test) => {
  test("hostile manifests are each refused by name, and nothing else happens", async (runtime) => {
    await using scene = await Scene.start(runtime);
    const { agent } = scene;
    const before = await rssBytes(agent);
    // A component test takes all of them.
    const hostile = hostileSample(6);
    ok(hostile.length >= 60);
    for (const { title, content } of hostile) {
      await scene.put(`${title}.yaml`, content);
    }
    await scene.untilNamed(hostile.map(({ title }) => `${title}.yaml`));
    const log = await Deno.readTextFile(`${agent.directory}/agent.log`);
    for (const { title, names } of hostile) {
      const lines = log.split("\n").filter((line) =>
        line.includes(" manifest_refused ") && line.includes(`/${title}.yaml`)
      );
      strictEqual(lines.length, 1, `${title}: ${lines.join("\n")}`);
      match(lines[0] ?? "", names, title);
      // The report names the place and does not show what else the file holds.
      ok((lines[0] ?? "").length < 6_000, title);
    }
    await scene.assertCanary();
    for (const { title } of hostile) {
      await agent.removeManifest(`${title}.yaml`);
    }
    await scene.untilNamed([]);
    await scene.assertCanary();
    strictEqual((await agent.pods())?.length, 1);
    await untilSmall(agent, before);
  });

  test("what is no file is skipped or named, and never waited for", async (runtime) => {
    await using scene = await Scene.start(runtime);
    const { agent } = scene;
    const at = (name: string) => `${agent.manifestPath}/${name}`;
    ok((await run("mkfifo", [at("fifo.yaml")])).ok);
    using _socket = Deno.listen({ transport: "unix", path: at("socket.yaml") });
    await Deno.mkdir(at("directory.yaml"));
    await Deno.symlink("/nowhere/at/all", at("dangling.yaml"));
    await Deno.symlink(at("loop.yaml"), at("loop.yaml"));
    await Deno.symlink("/dev/zero", at("zero.yaml"));
    await Deno.writeFile(at("large.yaml"), new Uint8Array(11 << 20).fill(35));
    await run("truncate", ["-s", "2G", at("sparse.yaml")]);
    await Deno.writeTextFile(at("copy.yaml~"), "{{{");
    await Deno.writeTextFile(at(".copy.yaml.swp"), "{{{");
    await Deno.writeTextFile(at("copy.yaml.bak"), "{{{");
    await scene.untilNamed([
      "fifo.yaml",
      "socket.yaml",
      "dangling.yaml",
      "loop.yaml",
      "zero.yaml",
      "large.yaml",
      "sparse.yaml",
    ]);
    await scene.assertCanary();
    // It still hears of what comes.
    await agent.apply("late.json", sleeper("late"));
    await agent.until(
      "late running",
      (pods) => runningContainers(find(pods, "late")) === 1,
    );
  });

  test("a growing file is read when it is whole; a file swapped by renames keeps its pod", async (runtime) => {
    await using scene = await Scene.start(runtime);
    const { agent } = scene;
    const text = JSON.stringify(sleeper("slow"));
    using file = await Deno.open(`${agent.manifestPath}/slow.json`, {
      create: true,
      write: true,
    });
    for (let at = 0; at < text.length; at += 40) {
      const piece = new TextEncoder().encode(text.slice(at, at + 40));
      await file.write(piece);
      await pause(30);
    }
    const pods = await agent.until(
      "slow running",
      (pods) => runningContainers(find(pods, "slow")) === 1,
    );
    doesNotMatch(await agent.logTail(200), /slow\.json/);
    const id = idOf(find(pods, "slow"), "main");
    // As vim does it: the old one becomes a backup, the new one is written beside.
    const path = `${agent.manifestPath}/slow.json`;
    for (let round = 0; round < 10; round++) {
      await Deno.rename(path, `${path}~`);
      await Deno.writeTextFile(path, text);
      await Deno.remove(`${path}~`);
      await pause(60);
    }
    // Longer than a file may be away that is being exchanged.
    await pause(3_000);
    const after = find(await agent.pods() ?? [], "slow");
    strictEqual(idOf(after, "main"), id);
    strictEqual(after?.metadata.deletionTimestamp, undefined);
    await scene.assertCanary();
  });

  test("five hundred bad files at once, then gone", async (runtime) => {
    await using scene = await Scene.start(runtime);
    const { agent } = scene;
    const before = await rssBytes(agent);
    const names = Array.from({ length: 500 }, (_, at) => `bad${at}.yaml`);
    for (const name of names) await scene.put(name, "kind: Pod\n");
    await scene.untilNamed(names);
    const started = performance.now();
    await agent.apply("late.json", sleeper("late"));
    await agent.until(
      "late running",
      (pods) => runningContainers(find(pods, "late")) === 1,
    );
    // Far less than if it had waited for each of them: measured by the first pod.
    const tookMs = performance.now() - started;
    ok(
      tookMs < Math.max(10_000, 10 * scene.startMs),
      `${tookMs} ms, the first pod took ${scene.startMs} ms`,
    );
    for (const name of names) await agent.removeManifest(name);
    await scene.untilNamed([]);
    await scene.assertCanary();
    await untilSmall(agent, before);
  });

  test("one file rewritten hundreds of times ends in its last content", async (runtime) => {
    await using scene = await Scene.start(runtime);
    const { agent } = scene;
    const own = (note: string) => ({
      ...sleeper("busy"),
      metadata: {
        name: "busy",
        uid: "5ca1ab1e-0000-4000-8000-000000000001",
        annotations: { note },
      },
    });
    for (let round = 0; round < 300; round++) {
      await agent.apply("busy.json", own(String(round)));
    }
    const pods = await agent.until(
      "the last content",
      (pods) =>
        find(pods, "busy")?.metadata.annotations?.["note"] === "299" &&
        runningContainers(find(pods, "busy")) === 1,
    );
    strictEqual(
      find(pods, "busy")?.status?.containerStatuses?.[0]?.restartCount,
      0,
    );
    await scene.assertCanary();
  });

  test("a folder that is moved away keeps its pods, and works when it is back", async (runtime) => {
    await using scene = await Scene.start(runtime, [
      "--file-check-frequency=1s",
    ]);
    const { agent } = scene;
    const aside = `${agent.directory}/aside`;
    await Deno.rename(agent.manifestPath, aside);
    await untilLogged(agent, /manifest_source_unreachable/);
    await pause(2_500);
    await scene.assertCanary();
    // An agent that starts now must not take "no folder" for "no pods".
    await Deno.rename(aside, agent.manifestPath);
    await agent.apply("late.json", sleeper("late"));
    await agent.until(
      "late running",
      (pods) => runningContainers(find(pods, "late")) === 1,
    );
    await scene.assertCanary();
    await agent.removeManifest("late.json");
    await agent.until("late gone", (pods) => find(pods, "late") === undefined);
  });

  test("the same pod in two files runs once, and goes on when the copy goes", async (runtime) => {
    await using scene = await Scene.start(runtime);
    const { agent } = scene;
    const text = JSON.stringify(sleeper("canary"));
    await scene.put("copy-of-canary.json", text);
    await agent.until(
      "the copy reported",
      () => true,
    );
    await agent.untilAnswer(
      "/metrics",
      /^skerry_manifest_duplicate\{file="[^"]*copy-of-canary\.json"\} 1$/m,
    );
    await scene.assertCanary();
    await agent.removeManifest("copy-of-canary.json");
    await pause(500);
    await scene.assertCanary();
  });
});

/** An agent with a canary pod that nothing may touch. */
class Scene implements AsyncDisposable {
  readonly agent: AgentProcess;
  /** How long it took from the start of the agent until the canary ran. */
  readonly startMs: number;
  readonly #canary: Pod;
  readonly #pid: number;

  private constructor(agent: AgentProcess, canary: Pod, startMs: number) {
    this.agent = agent;
    this.startMs = startMs;
    this.#canary = canary;
    this.#pid = agent.pid;
  }

  static async start(
    runtime: TestRuntime,
    args: readonly string[] = [],
  ): Promise<Scene> {
    const agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      args,
    });
    const started = performance.now();
    await agent.apply("a-canary.json", sleeper("canary"));
    const pods = await agent.until(
      "the canary running",
      (pods) => runningContainers(find(pods, "canary")) === 1,
    );
    const canary = find(pods, "canary");
    ok(canary);
    return new Scene(agent, canary, performance.now() - started);
  }

  /** Renames a file into the folder. */
  async put(name: string, content: string | Uint8Array): Promise<void> {
    const aside = `${this.agent.directory}/.put`;
    if (typeof content === "string") await Deno.writeTextFile(aside, content);
    else await Deno.writeFile(aside, content);
    await Deno.rename(aside, `${this.agent.manifestPath}/${name}`);
  }

  /** Waits until exactly these files are reported as invalid. */
  async untilNamed(files: readonly string[]): Promise<void> {
    const wanted = [...files].sort().join();
    let named = "";
    await waitUntil(`"${wanted}" reported`, async () => {
      const { text } = await this.agent.get("/metrics");
      named = [...text.matchAll(INVALID)]
        .map(([, file]) => file ?? "").sort().join();
      return named === wanted;
    }, { saw: () => named });
  }

  /** The canary's container is the one it always was, in the same agent process. */
  async assertCanary(): Promise<void> {
    const canary = find(await this.agent.pods() ?? [], "canary");
    strictEqual(idOf(canary, "main"), idOf(this.#canary, "main"));
    strictEqual(runningContainers(canary), 1);
    strictEqual(canary?.metadata.deletionTimestamp, undefined);
    strictEqual(
      (await Deno.readTextFile(`${this.agent.rootDir}/run/skerry.pid`)).trim(),
      String(this.#pid),
    );
    strictEqual((await this.agent.get("/healthz")).status, 200);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent[Symbol.asyncDispose]();
  }
}

const INVALID = /^skerry_manifest_invalid\{file="[^"]*\/([^"/]+)"\} 1$/gm;

function sleeper(name: string): Record<string, unknown> {
  return podManifest(name, {
    containers: [{ name: "main", command: ["sleep", "100000"] }],
  });
}

async function rssBytes(agent: AgentProcess): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${agent.pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Memory comes back when the engine cleans up, which is not at once. */
async function untilSmall(agent: AgentProcess, before: number): Promise<void> {
  await waitUntil(
    `memory of no more than ${before} bytes and the tolerance`,
    async () => await rssBytes(agent) <= before + RSS_TOLERANCE_BYTES,
    { saw: () => rssBytes(agent), everyMs: 500 },
  );
}
