/**
 * Pods that come back after the node was short.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { EvictedPods } from "../../../../mod/agent/desired/evicted_pods.ts";
import type { WorkerView } from "../../../../mod/agent/workers/mod.ts";
import type {
  Pod,
  PodEvent,
  PodStatus,
} from "../../../../mod/api/types/mod.ts";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import type { EvictionNote } from "../../../../mod/pod/recovery/mod.ts";
import { gaugeOf, LogRecorder } from "../../../support/agent/recorders.ts";
import { workerView } from "../../../support/agent/worker_view.ts";
import { eventsTo } from "../../../support/event_list.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { podOf } from "../../../support/pods.ts";

const S = 1_000;

const EVICTED: PodStatus = {
  phase: "Failed",
  reason: "Evicted",
  message: "The node was low on resource: memory. ",
  conditions: [{
    type: "DisruptionTarget",
    status: "True",
    reason: "TerminationByKubelet",
  }],
  containerStatuses: [],
};

class Rig {
  readonly clock = new FakeClock();
  readonly log = new LogRecorder();
  readonly metrics = new MetricsRegistry();
  readonly events: PodEvent[] = [];
  readonly statuses = new Map<string, PodStatus>();
  readonly notes = new Map<string, EvictionNote>();
  readonly workers = new Map<string, WorkerView>();
  readonly shortage = { isCalm: true, transitionMs: 60 * S };
  /** Why the node takes none of these, by UID. */
  readonly refusals = new Map<string, string>();
  /** Those that it was asked to take, and those that it took. */
  readonly asked: string[] = [];
  readonly renewed: Pod[] = [];
  readonly #evicted: EvictedPods;

  constructor() {
    this.#evicted = new EvictedPods({
      clock: this.clock,
      log: this.log.logger,
      metrics: this.metrics,
      events: eventsTo(this.events),
      statuses: {
        get: (uid) => this.statuses.get(uid),
        eviction: (uid) => this.notes.get(uid),
      },
      workers: { list: () => [...this.workers.values()] },
      admission: { renew: (pod) => this.#renew(pod) },
      shortage: this.shortage,
    });
  }

  /** The node was short a long time ago, and took this pod down. */
  evict(pod: Pod, note: Partial<EvictionNote> = {}): void {
    const { uid } = pod.metadata;
    this.workers.set(
      uid,
      workerView(pod, { state: { kind: "finished", cause: "evicted" } }),
    );
    this.statuses.set(uid, EVICTED);
    const atMs = this.clock.now() - 3_600 * S;
    this.notes.set(uid, { times: 1, atMs, message: "", ...note });
  }

  /** Time passes, and the pods are looked at. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    this.#evicted.review();
  }

  stateOf(uid: string): ReturnType<EvictedPods["stateOf"]> {
    return this.#evicted.stateOf(uid);
  }

  get back(): readonly string[] {
    return this.renewed.map(({ metadata }) => metadata.uid);
  }

  #renew(pod: Pod): { readonly message: string } | undefined {
    const { uid } = pod.metadata;
    this.asked.push(uid);
    const message = this.refusals.get(uid);
    if (message !== undefined) return { message };
    this.renewed.push(pod);
    this.workers.set(uid, workerView(pod));
    return undefined;
  }
}

Deno.test("EvictedPods.review() begins a pod again after its pause, and says so once", async () => {
  const rig = new Rig();
  rig.evict(podOf("a"));
  await rig.pass(S);
  deepStrictEqual(rig.stateOf("a"), { kind: "pauses", untilMs: 11 * S });
  await rig.pass(10 * S - 1);
  deepStrictEqual(rig.stateOf("a"), { kind: "pauses", untilMs: 11 * S });
  deepStrictEqual(rig.asked, []);
  await rig.pass(1);
  deepStrictEqual(rig.back, ["a"]);
  strictEqual(rig.stateOf("a"), undefined);
  await rig.pass(60 * S);
  deepStrictEqual(rig.back, ["a"]);
  deepStrictEqual(rig.events, [{
    type: "Normal",
    reason: "EvictedPodReturned",
    message:
      "Starting the pod again, as the node is short of nothing any more. It was evicted: The node was low on resource: memory. ",
  }]);
  deepStrictEqual(
    rig.log.of("evicted_pod_returns").map(({ name, namespace, uid }) => [
      name,
      namespace,
      uid,
    ]),
    [["a", "shop", "a"]],
  );
  strictEqual(gaugeOf(rig.metrics, "skerry_evicted_pods_returned_total"), 1);
});

Deno.test("EvictedPods.review() counts how often and how long ago a pod was evicted", async () => {
  const rig = new Rig();
  rig.evict(podOf("a"), { times: 3, atMs: rig.clock.now() - 20 * S });
  await rig.pass(0);
  // What is left of the minute that a condition stays, then the third pause.
  deepStrictEqual(rig.stateOf("a"), { kind: "pauses", untilMs: 80 * S });
});

Deno.test("EvictedPods.review() begins no pod while the node is short, and its pause anew after it", async () => {
  const rig = new Rig();
  rig.evict(podOf("a"));
  rig.shortage.isCalm = false;
  await rig.pass(3_600 * S);
  deepStrictEqual(rig.stateOf("a"), { kind: "short" });
  rig.shortage.isCalm = true;
  await rig.pass(0);
  deepStrictEqual(rig.stateOf("a"), { kind: "pauses", untilMs: 3_610 * S });
  await rig.pass(9 * S);
  rig.shortage.isCalm = false;
  await rig.pass(S);
  deepStrictEqual(rig.stateOf("a"), { kind: "short" });
  rig.shortage.isCalm = true;
  await rig.pass(S);
  deepStrictEqual(rig.stateOf("a"), { kind: "pauses", untilMs: 3_621 * S });
  deepStrictEqual(rig.asked, []);
  await rig.pass(10 * S);
  deepStrictEqual(rig.back, ["a"]);
});

Deno.test("EvictedPods.review() waits with a pod of whose eviction nothing is noted yet", async () => {
  const rig = new Rig();
  rig.evict(podOf("a"));
  rig.notes.delete("a");
  await rig.pass(3_600 * S);
  deepStrictEqual(rig.stateOf("a"), { kind: "short" });
  deepStrictEqual(rig.asked, []);
});

Deno.test("EvictedPods.review() begins one pod every ten seconds, the most important first", async () => {
  const rig = new Rig();
  for (
    const [uid, priority] of [
      ["low", -1],
      ["zero", 0],
      ["none", undefined],
      ["high", 9],
    ] as const
  ) rig.evict(podOf(uid, priority === undefined ? {} : { priority }));
  await rig.pass(0);
  await rig.pass(10 * S);
  deepStrictEqual(rig.back, ["high"]);
  await rig.pass(10 * S - 1);
  deepStrictEqual(rig.asked, ["high"]);
  await rig.pass(1);
  deepStrictEqual(rig.back, ["high", "zero"]);
  await rig.pass(10 * S);
  await rig.pass(10 * S);
  deepStrictEqual(rig.asked, ["high", "zero", "none", "low"]);
});

Deno.test("EvictedPods.review() has the next pod go first while one is not taken", async () => {
  const rig = new Rig();
  rig.evict(podOf("high", { priority: 9 }));
  rig.evict(podOf("low"));
  rig.refusals.set("high", "its port is taken");
  await rig.pass(0);
  await rig.pass(10 * S);
  deepStrictEqual(rig.asked, ["high", "low"]);
  deepStrictEqual(rig.back, ["low"]);
  const message = "its port is taken";
  deepStrictEqual(rig.stateOf("high"), {
    kind: "refused",
    message,
    untilMs: 20 * S,
  });
  deepStrictEqual(rig.log.of("evicted_pod_returns").length, 1);
  await rig.pass(10 * S - 1);
  strictEqual(rig.asked.length, 2);
  await rig.pass(1);
  deepStrictEqual(rig.asked, ["high", "low", "high"]);
  deepStrictEqual(rig.stateOf("high"), {
    kind: "refused",
    message,
    untilMs: 30 * S,
  });
  rig.refusals.clear();
  await rig.pass(10 * S);
  deepStrictEqual(rig.back, ["low", "high"]);
  strictEqual(gaugeOf(rig.metrics, "skerry_evicted_pods_returned_total"), 2);
});

Deno.test("EvictedPods.review() judges a pod that was not taken every ten seconds", async () => {
  const rig = new Rig();
  rig.evict(podOf("a"));
  rig.refusals.set("a", "its port is taken");
  await rig.pass(0);
  await rig.pass(10 * S);
  await rig.pass(10 * S - 1);
  strictEqual(rig.asked.length, 1);
  await rig.pass(1);
  strictEqual(rig.asked.length, 2);
});

Deno.test("EvictedPods.review() begins the newest version of a pod", async () => {
  const rig = new Rig();
  const wanted = podOf("a", { labels: { version: "2" } });
  rig.evict(podOf("a"));
  rig.workers.set(
    "a",
    workerView(podOf("a"), {
      state: { kind: "finished", cause: "evicted" },
      wanted,
    }),
  );
  await rig.pass(0);
  await rig.pass(10 * S);
  deepStrictEqual(rig.renewed, [wanted]);
});

/** What makes that a pod does not come back. */
const STAYS: readonly (readonly [string, (rig: Rig, pod: Pod) => void])[] = [
  ["is made to run", (rig, pod) => rig.workers.set("a", workerView(pod))],
  ["still ends", (rig, pod) =>
    rig.workers.set(
      "a",
      workerView(pod, {
        state: { kind: "terminated", cause: "evicted", atMs: 0 },
      }),
    )],
  ["was removed", (rig, pod) =>
    rig.workers.set(
      "a",
      workerView(pod, {
        state: { kind: "finished", cause: "removed" },
        wanted: pod,
      }),
    )],
  ["has no status", (rig) => rig.statuses.delete("a")],
  [
    "has another end",
    (rig) => rig.statuses.set("a", { ...EVICTED, reason: "DeadlineExceeded" }),
  ],
  ["has no worker", (rig) => rig.workers.clear()],
];

for (const [what, change] of STAYS) {
  Deno.test(`EvictedPods.review() leaves a pod alone that ${what}`, async () => {
    const rig = new Rig();
    const pod = podOf("a");
    rig.evict(pod);
    change(rig, pod);
    rig.evict(podOf("other"));
    await rig.pass(0);
    strictEqual(rig.stateOf("a"), undefined);
    await rig.pass(10 * S);
    await rig.pass(20 * S);
    deepStrictEqual(rig.asked, ["other"]);
  });
}

Deno.test("EvictedPods.review() says of an end without a message nothing but that", async () => {
  const rig = new Rig();
  rig.evict(podOf("a"));
  const { message: _message, ...silent } = EVICTED;
  rig.statuses.set("a", silent);
  await rig.pass(0);
  await rig.pass(10 * S);
  strictEqual(
    rig.events[0]?.message,
    "Starting the pod again, as the node is short of nothing any more. It was evicted: ",
  );
});
