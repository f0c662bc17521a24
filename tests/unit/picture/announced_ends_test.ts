/**
 * What is known of ends that the runtime does not show yet.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ContainerExit } from "../../../mod/cri/events/mod.ts";
import { CriError } from "../../../mod/cri/model/mod.ts";
import { AnnouncedEnds } from "../../../mod/picture/announced_ends.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import {
  containerDetails,
  containerRow,
  sandboxDetails,
  sandboxRow,
} from "../../support/runtime_rows.ts";
import { messagesTo } from "../../support/log_lines.ts";

const NEVER = new AbortController().signal;
const EXIT: ContainerExit = { exitCode: 3, finishedAt: 77n };

/** Ends over a runtime that shows all as running until told otherwise. */
class Rig {
  readonly clock: FakeClock = new FakeClock();
  readonly log: string[] = [];
  readonly asked: string[] = [];
  state: "running" | "exited" = "running";
  isGone = false;
  answer: () => Promise<ContainerExit | undefined> = () =>
    Promise.resolve(EXIT);
  readonly exits: AnnouncedEnds;

  constructor() {
    const { clock } = this;
    const ready = () => this.state === "running" ? "ready" : "not_ready";
    this.exits = new AnnouncedEnds({
      clock,
      log: messagesTo(this.log, { clock }),
      ask: (id) => {
        this.asked.push(id);
        return this.answer();
      },
      runtime: {
        listContainers: () =>
          Promise.resolve([
            containerRow("u", { state: this.state }),
            containerRow("v"),
          ]),
        listPodSandbox: () =>
          Promise.resolve([
            sandboxRow("u", { state: ready() }),
            sandboxRow("v"),
          ]),
        containerStatus: () =>
          this.isGone ? gone() : Promise.resolve(
            containerDetails(containerRow("u", { state: this.state })),
          ),
        podSandboxStatus: () =>
          this.isGone ? gone() : Promise.resolve(
            sandboxDetails(sandboxRow("u", { state: ready() })),
          ),
      },
    });
  }

  /** The runtime announces something of `c-u` or another. */
  announce(
    what: "stopped" | "oom",
    id = "c-u",
    exit: ContainerExit | undefined = EXIT,
  ): void {
    this.exits.announce({
      kind: "moved",
      what,
      containerId: id,
      podUid: undefined,
      at: 0n,
      ...what === "stopped" && { exit },
    });
  }

  /** What is shown of `c-u`. */
  async shown(): Promise<string> {
    const { state, isUnconfirmed } = await this.exits.containerStatus("c-u");
    return isUnconfirmed ? `${state}, not confirmed` : state;
  }
}

function gone(): Promise<never> {
  const failure = { kind: "not_found", method: "M", detail: "gone" } as const;
  return Promise.reject(new CriError(failure));
}

Deno.test("AnnouncedEnds shows in every answer an end that was told and is known", async () => {
  const rig = new Rig();
  for (const id of ["c-u", "s-u"]) {
    rig.announce("stopped", id);
    await rig.exits.learn(id, NEVER);
  }
  deepStrictEqual(await rig.exits.containerStatus("c-u"), {
    ...containerDetails(containerRow("u")),
    state: "exited",
    exitCode: 3,
    finishedAt: 77n,
    reason: "Error",
    isUnconfirmed: true,
  });
  strictEqual((await rig.exits.podSandboxStatus("s-u")).state, "not_ready");
  const containers = await rig.exits.listContainers();
  deepStrictEqual(containers.map(({ state }) => state), ["exited", "running"]);
  const sandboxes = await rig.exits.listPodSandbox();
  deepStrictEqual(sandboxes.map(({ state }) => state), ["not_ready", "ready"]);
  // What is known is not asked for again.
  await rig.exits.learn("c-u", NEVER);
  deepStrictEqual(rig.asked, ["c-u", "s-u"]);
});

for (
  const [what, exit] of [
    ["another code", { exitCode: 4, finishedAt: 77n }],
    ["another time", { exitCode: 3, finishedAt: 78n }],
  ] as const
) {
  Deno.test(`AnnouncedEnds believes no end that is known with ${what} than was told`, async () => {
    const rig = new Rig();
    rig.announce("stopped", "c-u", exit);
    await rig.exits.learn("c-u", NEVER);
    strictEqual(await rig.shown(), "running");
  });
}

Deno.test("AnnouncedEnds asks for nothing that nobody told, and believes no end that nobody knows", async () => {
  const rig = new Rig();
  await rig.exits.learn("c-u", NEVER);
  deepStrictEqual(rig.asked, []);
  rig.announce("stopped");
  rig.answer = () => Promise.resolve(undefined);
  await rig.exits.learn("c-u", NEVER);
  deepStrictEqual([rig.asked, await rig.shown()], [["c-u"], "running"]);
});

for (
  const [exitCode, isKilled, reason] of [
    [0, false, "Completed"],
    [1, false, "Error"],
    [137, true, "OOMKilled"],
  ] as const
) {
  Deno.test(`AnnouncedEnds calls an end with ${exitCode} "${reason}"`, async () => {
    const rig = new Rig();
    const exit = { exitCode, finishedAt: 1n };
    rig.answer = () => Promise.resolve(exit);
    if (isKilled) rig.announce("oom");
    rig.announce("stopped", "c-u", exit);
    await rig.exits.learn("c-u", NEVER);
    strictEqual((await rig.exits.containerStatus("c-u")).reason, reason);
  });
}

Deno.test("AnnouncedEnds forgets an end that the runtime shows, or does not have any more", async () => {
  for (const how of ["shown", "gone"]) {
    const rig = new Rig();
    rig.announce("stopped");
    await rig.exits.learn("c-u", NEVER);
    if (how === "shown") {
      rig.state = "exited";
      strictEqual(await rig.shown(), "exited");
    } else {
      rig.isGone = true;
      await rejects(rig.shown(), { kind: "not_found" });
    }
    rig.state = "running";
    rig.isGone = false;
    strictEqual(await rig.shown(), "running");
    await rig.exits.learn("c-u", NEVER);
    deepStrictEqual(rig.asked, ["c-u"], "nothing was told since");
  }
});

Deno.test("AnnouncedEnds believes an end for 30 s, and then of that container the runtime alone", async () => {
  const rig = new Rig();
  rig.announce("stopped");
  await rig.exits.learn("c-u", NEVER);
  await rig.clock.advance(29_999);
  strictEqual(await rig.shown(), "exited, not confirmed");
  await rig.clock.advance(1);
  strictEqual(await rig.shown(), "running");
  deepStrictEqual(rig.log, ["exit_not_confirmed"]);
  rig.announce("stopped");
  await rig.exits.learn("c-u", NEVER);
  deepStrictEqual([rig.asked, await rig.shown()], [["c-u"], "running"]);
});

Deno.test("AnnouncedEnds has a look wait for what is being asked, whatever comes of it", async () => {
  for (const isKnown of [true, false]) {
    const rig = new Rig();
    rig.announce("stopped");
    const { promise, resolve, reject } = Promise.withResolvers<ContainerExit>();
    rig.answer = () => promise;
    const learning = rig.exits.learn("c-u", NEVER).catch(() => "failed");
    let shown: string | undefined;
    const looking = rig.shown().then((state) => shown = state);
    await rig.clock.advance(0);
    strictEqual(shown, undefined);
    if (isKnown) resolve(EXIT);
    else reject(new Error("no"));
    await looking;
    strictEqual(shown, isKnown ? "exited, not confirmed" : "running");
    strictEqual(await learning, isKnown ? undefined : "failed");
    strictEqual(await rig.shown(), shown);
  }
});

Deno.test("AnnouncedEnds keeps 1024 ends that were told, the newest", async () => {
  const rig = new Rig();
  for (let at = 0; at <= 1_024; at++) rig.announce("stopped", `c${at}`);
  for (const id of ["c0", "c1", "c1024"]) await rig.exits.learn(id, NEVER);
  deepStrictEqual(rig.asked, ["c1", "c1024"]);
});
