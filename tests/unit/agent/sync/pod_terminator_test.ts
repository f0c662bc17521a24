/**
 * How a pod comes to its end.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { PodTerminator } from "../../../../mod/agent/sync/pod_terminator.ts";
import type { EndingPod } from "../../../../mod/agent/workers/ports.ts";
import type { PodEvent } from "../../../../mod/api/types/mod.ts";
import type {
  ObservedContainer,
  ObservedPod,
} from "../../../../mod/pod/observed/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import {
  ended,
  observed,
  sandbox,
  seen,
} from "../../../support/observed_pods.ts";
import { Gate } from "../../../support/agent/workers_rig.ts";
import { podOf } from "../../../support/pods.ts";
import { eventsTo } from "../../../support/event_list.ts";

const EVICTION = { reason: "Evicted", message: "Too much." };
const BUSY = new Error("the runtime is busy");

/** It is known to have ended before the runtime shows how. */
const UNCONFIRMED = ended("a", 137, { isUnconfirmed: true });
const ENDED = ended("a", 0);

/** A terminator over a runtime that shows what a test says. */
class Rig {
  readonly clock = new FakeClock();
  readonly events: PodEvent[] = [];
  /** What was done, in order. */
  readonly done: string[] = [];
  /** What the runtime shows at each look after the kill; the last for good. */
  looks: ObservedContainer[][] = [[ENDED]];
  /** When it was looked at. */
  readonly lookedAtMs: number[] = [];
  /** How the kill goes. */
  kill: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  readonly #terminator: PodTerminator;

  constructor() {
    const note = (step: string) => (): void => void this.done.push(step);
    this.#terminator = new PodTerminator({
      clock: this.clock,
      events: eventsTo(this.events),
      records: {
        // deno-lint-ignore require-await -- as the port has it
        keep: async () => void this.done.push("keep record"),
        forget: note("forget record"),
      },
      picture: {
        act: () => ({ [Symbol.dispose]: () => {} }),
        forget: () => void this.done.push("uncache"),
      },
      executor: {
        killPod: async ({ signal, graceSeconds }) => {
          this.done.push(`kill ${graceSeconds ?? "by its own grace"}`);
          await this.kill(signal);
          return ["s0"];
        },
      },
      remains: {
        stopSandboxes: ({ sandboxes }) =>
          void this.done.push(`stop ${sandboxes.map(({ id }) => id).join()}`),
        endVolumes: note("end volumes"),
        endCgroup: note("end cgroup"),
        remove: (_uid, keep) => void this.done.push(`remove ${keep}`),
        renew: note("renew remains"),
      },
      statuses: {
        terminatePod: () => {
          this.done.push("last status");
          return { phase: "Succeeded" };
        },
        renew: note("renew status"),
        remove: note("remove status"),
      },
      prober: {
        stopLivenessAndStartup: note("ask readiness only"),
        remove: note("ask no more"),
      },
      sessions: { delete: note("end session") },
      memory: {
        acted: (_uid, act) => act(),
        renew: note("renew memory"),
      },
      inspector: {
        latest: () => Promise.resolve(observed([seen("a")])),
        now: () => Promise.resolve(this.#look("list")),
        stopped: (_uid, { sandboxIds }) =>
          Promise.resolve(this.#look(`look at ${sandboxIds.join()}`)),
      },
      reporter: {
        report: (_pod, _observed, { terminal }) => {
          this.done.push(terminal ? "report the end" : "report");
          return { phase: "Running" };
        },
      },
    });
  }

  #look(how: string): ObservedPod {
    this.done.push(how);
    this.lookedAtMs.push(this.clock.monotonic());
    const [containers = []] = this.looks;
    if (this.looks.length > 1) this.looks.shift();
    return observed(containers, [sandbox({ ready: false })]);
  }

  terminate(
    ending: Partial<EndingPod> = {},
    signal = new AbortController().signal,
  ): Promise<void> {
    return this.#terminator.terminate({ ...ENDING, ...ending }, signal);
  }

  /** Terminates while the clock moves on by itself. */
  async terminateInTime(ending: Partial<EndingPod> = {}): Promise<void> {
    const end = this.terminate(ending);
    end.catch(() => {});
    await this.clock.advance(10_000);
    await end;
  }

  async release(
    keep: Parameters<PodTerminator["release"]>[1],
    ending: Partial<EndingPod> = {},
  ): Promise<readonly string[]> {
    await this.#terminator.release({ ...ENDING, ...ending }, keep);
    return this.done;
  }
}

const ENDING: EndingPod = { uid: "a", pod: podOf("a"), graceSeconds: 30 };

Deno.test("PodTerminator.terminate() tells that the pod ends, stops it, and tells how it ended", async () => {
  const rig = new Rig();
  await rig.terminate();
  deepStrictEqual(rig.done, [
    "report",
    "keep record",
    "ask readiness only",
    "kill 30",
    "ask no more",
    "look at s0",
    "report the end",
    "keep record",
    "end volumes",
  ]);
});

Deno.test("PodTerminator.terminate() ends a pod without a manifest by its own grace, and tells nothing of it", async () => {
  const rig = new Rig();
  await rig.terminate({ pod: undefined, graceSeconds: undefined });
  deepStrictEqual(rig.done, [
    "kill by its own grace",
    "ask no more",
    "look at s0",
    "end volumes",
  ]);
});

Deno.test("PodTerminator.terminate() looks again until the runtime tells how a container ended", async () => {
  const rig = new Rig();
  rig.looks = [[UNCONFIRMED], [ENDED, UNCONFIRMED], [ENDED]];
  await rig.terminateInTime();
  deepStrictEqual(rig.lookedAtMs, [0, 100, 200]);
});

Deno.test("PodTerminator.terminate() does not wait for ever for a runtime that never tells how a container ended", async () => {
  const rig = new Rig();
  rig.looks = [[UNCONFIRMED]];
  await rig.terminateInTime();
  deepStrictEqual(rig.lookedAtMs, [0, 100, 200, 300, 400, 500]);
  strictEqual(rig.done.at(-1), "end volumes");
});

// What is seen after a kill that failed.
const AFTER_FAILURE: readonly {
  readonly what: string;
  readonly shown: ObservedContainer[];
  readonly hasEnded: boolean;
}[] = [
  { what: "all have ended", shown: [ENDED, ended("b", 1)], hasEnded: true },
  { what: "nothing is left", shown: [], hasEnded: true },
  { what: "one of two runs", shown: [ENDED, seen("b")], hasEnded: false },
  {
    what: "of one of two it is not known",
    shown: [ENDED, seen("b", { state: "unknown" })],
    hasEnded: false,
  },
];

for (const { what, shown, hasEnded } of AFTER_FAILURE) {
  Deno.test(`PodTerminator.terminate() ${hasEnded ? "leaves a sandbox to the collector" : "fails"} when a kill failed and ${what}`, async () => {
    const rig = new Rig();
    rig.kill = () => Promise.reject(BUSY);
    rig.looks = [shown];
    if (hasEnded) await rig.terminate();
    else await rejects(rig.terminate(), BUSY);
    strictEqual(rig.done.includes("stop s0"), hasEnded);
    strictEqual(rig.done.includes("end volumes"), hasEnded);
    deepStrictEqual(rig.events, [{
      type: "Warning",
      reason: "FailedKillPod",
      message: "error killing pod: the runtime is busy",
    }]);
  });
}

Deno.test("PodTerminator.terminate() fails by the names of the containers that still run", async () => {
  const rig = new Rig();
  rig.looks = [[ENDED, seen("b"), seen("c")]];
  await rejects(rig.terminate(), {
    message:
      'Cannot end pod "shop/web": "b", "c" still running after the grace period',
  });
  strictEqual(rig.done.includes("end volumes"), false);
});

Deno.test("PodTerminator.terminate() that is cut short tells of no failure", async () => {
  const rig = new Rig();
  const stop = new AbortController();
  rig.kill = () => {
    stop.abort(new DOMException("Over", "AbortError"));
    return Promise.reject(stop.signal.reason);
  };
  await rejects(rig.terminate({}, stop.signal), { name: "AbortError" });
  deepStrictEqual(rig.events, []);
  strictEqual(rig.done.some((step) => /look|list/.test(step)), false);
});

// kubelet, killPodNow: 10 s, or one and a half times the grace.
for (
  const [graceSeconds, limitMs] of [
    [undefined, 10_000],
    [0, 10_000],
    [6, 10_000],
    [20, 30_000],
  ] as const
) {
  Deno.test(`PodTerminator.terminate() tells after ${limitMs} ms that an evicted pod with ${graceSeconds} s of grace does not end`, async () => {
    const rig = new Rig();
    const gate = new Gate();
    rig.kill = (signal) => gate.wait(signal);
    const end = rig.terminate({ eviction: EVICTION, graceSeconds });
    await rig.clock.advance(limitMs - 1);
    deepStrictEqual(rig.events, []);
    await rig.clock.advance(1);
    deepStrictEqual(rig.events.map(({ reason }) => reason), [
      "ExceededGracePeriod",
    ]);
    gate.open();
    await end;
    strictEqual(rig.clock.pendingTimers, 0);
  });
}

Deno.test("PodTerminator.terminate() waits without a word for a pod that nobody evicted", async () => {
  const rig = new Rig();
  const gate = new Gate();
  rig.kill = (signal) => gate.wait(signal);
  const end = rig.terminate();
  await rig.clock.advance(600_000);
  deepStrictEqual(rig.events, []);
  gate.open();
  await end;
});

const RELEASES = [
  ["all", ["last status", "end cgroup", "keep record"]],
  [
    "status",
    [
      "last status",
      "end session",
      "remove status",
      "keep record",
    ],
  ],
  [
    "nothing",
    [
      "last status",
      "end session",
      "remove nothing",
      "forget record",
      "uncache",
      "remove status",
    ],
  ],
  [
    "logs",
    [
      "last status",
      "renew memory",
      "renew remains",
      "forget record",
      "renew status",
    ],
  ],
] as const;

for (const [keep, steps] of RELEASES) {
  Deno.test(`PodTerminator.release() of a pod of which is kept: ${keep}`, async () => {
    deepStrictEqual(await new Rig().release(keep), steps);
  });
}

Deno.test("PodTerminator.release() says nothing of the end of a pod without a manifest", async () => {
  const done = await new Rig().release("nothing", { pod: undefined });
  strictEqual(done.includes("last status"), false);
});
