/**
 * What is done when the node runs short, look by look.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { Pod, PodEvent, PodRef } from "../../../mod/api/types/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { NodePressureManager } from "../../../mod/pressure/node_pressure_manager.ts";
import type {
  Observation,
  PressureSignal,
} from "../../../mod/pressure/signals.ts";
import type { Threshold } from "../../../mod/pressure/thresholds.ts";
import type { PodUse } from "../../../mod/usage/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { linesTo } from "../../support/log_lines.ts";
import { type PodDraft, podOf } from "../../support/pods.ts";

const MI = 2 ** 20;
const NEVER = new AbortController().signal;

function threshold(more: Partial<Threshold> = {}): Threshold {
  return {
    signal: "memory.available",
    kind: "hard",
    least: { kind: "quantity", value: 100 * MI },
    graceMs: 0,
    reclaim: { kind: "quantity", value: 0 },
    ...more,
  };
}

class PressureRig {
  readonly clock = new FakeClock();
  readonly log: string[] = [];
  readonly metrics = new MetricsRegistry();
  readonly events: string[] = [];
  readonly running: Pod[] = [];
  readonly ended = new Set<string>();
  /** UID, seconds of grace, and whether it is for the sake of the node. */
  readonly evicted: [uid: string, graceSeconds: number, disruption: boolean][] =
    [];
  readonly left = new Map<PressureSignal, Observation>();
  readonly memory = new Map<string, number>();
  readonly measured: string[] = [];
  readonly reclaimed: string[] = [];
  reclaim: () => "done" | "under_way" = () => "done";
  changes = 0;
  looks = 0;
  /** Of what the runtime has no figures. */
  readonly mute = new Set<string>();
  readonly manager: NodePressureManager;

  constructor(...thresholds: readonly Threshold[]) {
    const { clock, metrics } = this;
    this.manager = new NodePressureManager({
      clock,
      metrics,
      log: linesTo(this.log, { clock }),
      events: { record: (of, event) => this.#record(of, event) },
      node: { kind: "Node", name: "edge1", namespace: "default", uid: "edge1" },
      meters: {
        layout: () =>
          Promise.resolve({ hasOwnImageFs: false, layersOn: "nodefs" }),
        observe: () => {
          this.looks++;
          return Promise.resolve(new Map(this.left));
        },
        pods: (pods, { what }) => {
          if (this.mute.has(what)) {
            return Promise.reject(new Error("no figures"));
          }
          this.measured.push(`${what} ${pods.length}`);
          return Promise.resolve(
            new Map(pods.map(({ metadata: { uid } }) => [
              uid,
              use(this.memory.get(uid) ?? 0),
            ])),
          );
        },
      },
      pods: {
        running: () => this.running,
        evict: (uid, { disruption }, { graceSeconds }) => {
          if (this.ended.has(uid)) return false;
          this.evicted.push([uid, graceSeconds, disruption]);
          return true;
        },
        hasEnded: (uid) => this.ended.has(uid),
      },
      reclaimers: [{
        reclaim: ({ signal, kind }) => {
          this.reclaimed.push(kind === "hard" ? signal : `${kind} ${signal}`);
          return new Promise((resolve) => resolve(this.reclaim()));
        },
      }],
    }, { thresholds, transitionMs: 300_000, maxPodGraceSeconds: 20 });
    this.manager.whenChanged(() => this.changes++);
  }

  pod(uid: string, memory: number, draft: PodDraft = {}): void {
    this.running.push(podOf(uid, draft));
    this.memory.set(uid, memory);
  }

  leave(available: number, signal: PressureSignal = "memory.available"): void {
    this.left.set(signal, { capacity: 1000 * MI, available: available * MI });
  }

  #record({ name }: PodRef, { type, reason, message }: PodEvent): void {
    this.events.push(`${name} ${type} ${reason} ${message}`);
  }
}

/** As much memory as disk, in MiB. */
function use(memory: number): PodUse {
  return {
    containers: [{
      name: "c",
      memoryBytes: memory * MI,
      cpu: undefined,
      memory: undefined,
      layer: undefined,
      logs: undefined,
    }],
    processes: undefined,
    volumes: [],
    inMemoryBytes: 0,
    files: { bytes: memory * MI, inodes: 0 },
  };
}

Deno.test("NodePressureManager measures no pod and records nothing while all is well", async () => {
  const rig = new PressureRig(threshold());
  rig.pod("a", 500);
  rig.leave(100);
  strictEqual(await rig.manager.check(NEVER), undefined);
  deepStrictEqual(
    [rig.measured, rig.events, rig.reclaimed, rig.changes],
    [[], [], [], 0],
  );
});

Deno.test("NodePressureManager looks at nothing without thresholds", async () => {
  const rig = new PressureRig();
  strictEqual(await rig.manager.check(NEVER), undefined);
  strictEqual(rig.looks, 0);
});

Deno.test("NodePressureManager ends the first of the ranking, and says so (GC-07)", async () => {
  const rig = new PressureRig(threshold());
  rig.pod("small", 1);
  rig.pod("large", 500);
  rig.leave(50);
  strictEqual(await rig.manager.check(NEVER), "large");
  deepStrictEqual(rig.evicted, [["large", 1, true]]);
  deepStrictEqual(rig.measured, ["memory 2"]);
  deepStrictEqual(rig.manager.conditions, ["MemoryPressure"]);
  strictEqual(rig.changes, 1);
  deepStrictEqual(rig.events, [
    "edge1 Normal NodeHasInsufficientMemory Node edge1 status is now: NodeHasInsufficientMemory",
    "edge1 Warning EvictionThresholdMet Attempting to reclaim memory",
    "large Warning Evicted The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container c was using 500Mi, request is 0, has larger consumption of memory. ",
  ]);
  const metrics = rig.metrics.render();
  ok(
    metrics.includes('kubelet_evictions{eviction_signal="memory.available"} 1'),
  );
  ok(metrics.includes('skerry_node_pressure{condition="MemoryPressure"} 1'));
  ok(metrics.includes('skerry_node_pressure{condition="DiskPressure"} 0'));
});

Deno.test("NodePressureManager never ends a critical pod (GC-07)", async () => {
  const rig = new PressureRig(threshold());
  rig.pod("critical", 900, { priority: 2_000_000_000 });
  rig.leave(1);
  strictEqual(await rig.manager.check(NEVER), undefined);
  deepStrictEqual(rig.measured, []);
  rig.pod("other", 1);
  strictEqual(await rig.manager.check(NEVER), "other");
});

Deno.test("NodePressureManager takes the next pod where the first ends already", async () => {
  const rig = new PressureRig(threshold());
  rig.pod("large", 500);
  rig.pod("small", 1);
  rig.ended.add("large");
  rig.leave(1);
  strictEqual(await rig.manager.check(NEVER), "small");
});

Deno.test("NodePressureManager ends no pod when what is of no use was enough (GC-07)", async () => {
  const signal = "nodefs.available";
  const reclaim = { kind: "quantity", value: 50 * MI } as const;
  const rig = new PressureRig(threshold({ signal, reclaim }));
  rig.pod("a", 1);
  rig.leave(50, signal);
  rig.reclaim = () => {
    rig.leave(150, signal);
    return "done";
  };
  strictEqual(await rig.manager.check(NEVER), undefined);
  deepStrictEqual(rig.evicted, []);
  deepStrictEqual(rig.reclaimed, [signal]);
  // Beyond the threshold, and short of what is to be reclaimed beyond it.
  rig.leave(50, signal);
  rig.reclaim = () => {
    rig.leave(149, signal);
    return "done";
  };
  strictEqual(await rig.manager.check(NEVER), "a");
});

Deno.test("NodePressureManager waits for room that is being made, and not for a reclaimer that fails", async () => {
  const rig = new PressureRig(threshold());
  rig.pod("a", 1);
  rig.leave(1);
  rig.reclaim = () => "under_way";
  strictEqual(await rig.manager.check(NEVER), undefined);
  rig.reclaim = () => {
    throw new Error("no images");
  };
  strictEqual(await rig.manager.check(NEVER), "a");
  ok(rig.log.some((line) => line.includes("not_reclaimed")));
});

Deno.test("NodePressureManager ends no pod that gives back next to nothing (GC-07)", async () => {
  const rig = new PressureRig(
    threshold({ reclaim: { kind: "quantity", value: 100 * MI } }),
  );
  rig.leave(0);
  rig.pod("idle", 0);
  rig.pod("small", 1.9);
  strictEqual(await rig.manager.check(NEVER), undefined);
  strictEqual(await rig.manager.check(NEVER), undefined);
  const said = rig.log.filter((line) => line.includes("no_pod_frees_enough"));
  strictEqual(said.length, 1);
  deepStrictEqual(rig.manager.conditions, ["MemoryPressure"]);
  rig.pod("hundredth", 2);
  strictEqual(await rig.manager.check(NEVER), "hundredth");
});

Deno.test("NodePressureManager frees the disk although nothing can be done for memory, and says each once", async () => {
  const signal = "nodefs.available";
  const rig = new PressureRig(threshold(), threshold({ signal }));
  for (const each of ["memory.available", signal] as const) rig.leave(0, each);
  rig.pod("idle", 0);
  rig.mute.add("all");
  strictEqual(await rig.manager.check(NEVER), undefined);
  deepStrictEqual(rig.reclaimed, ["memory.available", signal]);
  strictEqual(await rig.manager.check(NEVER), undefined);
  strictEqual(rig.log.filter((line) => line.includes("pods_not")).length, 1);
});

Deno.test("NodePressureManager walks through no files where processes are short", async () => {
  const signal = "pid.available";
  const rig = new PressureRig(threshold({ signal }));
  rig.pod("a", 1);
  rig.leave(1, signal);
  strictEqual(await rig.manager.check(NEVER), "a");
  deepStrictEqual(rig.measured, ["memory 1"]);
  deepStrictEqual(rig.manager.conditions, ["PIDPressure"]);
  ok(rig.events[0]?.includes("NodeHasInsufficientPID"));
});

Deno.test("NodePressureManager gives a pod its time for a soft threshold, up to the most", async () => {
  const rig = new PressureRig(threshold({ kind: "soft", graceMs: 60_000 }));
  rig.pod("slow", 9, { terminationGracePeriodSeconds: 90 });
  rig.pod("quick", 1, { terminationGracePeriodSeconds: 5 });
  rig.leave(50);
  strictEqual(await rig.manager.check(NEVER), undefined);
  deepStrictEqual(rig.manager.conditions, ["MemoryPressure"]);
  await rig.clock.advance(60_000);
  strictEqual(await rig.manager.check(NEVER), "slow");
  rig.ended.add("slow");
  strictEqual(await rig.manager.check(NEVER), "quick");
  deepStrictEqual(rig.evicted, [["slow", 20, true], ["quick", 5, true]]);
});

Deno.test("NodePressureManager ends nobody on the word of a runtime that has no figures", async () => {
  const rig = new PressureRig(threshold());
  rig.pod("a", 1);
  rig.leave(1);
  rig.mute.add("memory");
  strictEqual(await rig.manager.check(NEVER), undefined);
  strictEqual(await rig.manager.check(NEVER), undefined);
  deepStrictEqual(rig.manager.conditions, ["MemoryPressure"]);
  strictEqual(rig.log.filter((line) => line.includes("pods_not")).length, 1);
  rig.mute.clear();
  strictEqual(await rig.manager.check(NEVER), "a");
});

Deno.test("NodePressureManager says once which signals it cannot measure", async () => {
  const rig = new PressureRig(
    threshold(),
    threshold({ signal: "imagefs.available" }),
    // Nobody asked for these.
    threshold({ signal: "allocatableMemory.available" }),
    threshold({ signal: "containerfs.available" }),
    threshold({ signal: "containerfs.inodesFree" }),
  );
  rig.leave(500);
  await rig.manager.check(NEVER);
  await rig.manager.check(NEVER);
  const said = rig.log.filter((line) => line.includes("signals_not_measured"));
  strictEqual(said.length, 1);
  ok(said[0]?.includes('"imagefs.available"'));
});

Deno.test("NodePressureManager warns once of thresholds that contradict each other, and again if they do anew", async () => {
  const least = { kind: "part", value: 0.05 } as const;
  const rig = new PressureRig(threshold(), threshold({ kind: "soft", least }));
  rig.leave(500);
  await rig.manager.check(NEVER);
  await rig.manager.check(NEVER);
  deepStrictEqual(rig.events, [
    'edge1 Warning InvalidEvictionThreshold Cannot use evictionSoft["memory.available"]: found "5%" beside evictionHard["memory.available"] "100Mi", wanted more than that of the 1000Mi there are',
  ]);
  const said = () =>
    rig.log.filter((line) => line.includes("thresholds_contradict")).length;
  strictEqual(said(), 1);
  const more = { capacity: 9000 * MI, available: 5000 * MI };
  rig.left.set("memory.available", more);
  await rig.manager.check(NEVER);
  strictEqual(said(), 1);
  rig.leave(500);
  await rig.manager.check(NEVER);
  strictEqual(said(), 2);
});

Deno.test("NodePressureManager ends pods that together come near to their limit", async () => {
  const rig = new PressureRig(
    threshold({ signal: "allocatableMemory.available" }),
  );
  rig.pod("a", 10);
  rig.pod("b", 20);
  rig.leave(50, "allocatableMemory.available");
  strictEqual(await rig.manager.check(NEVER), "b");
  deepStrictEqual(rig.manager.conditions, ["MemoryPressure"]);
  deepStrictEqual(rig.measured, ["memory 2"]);
});

Deno.test("NodePressureManager is calm when it has looked and found enough, or has nothing to look for", async () => {
  const rig = new PressureRig(threshold());
  rig.leave(500);
  strictEqual(rig.manager.isCalm, false);
  await rig.manager.check(NEVER);
  strictEqual(rig.manager.isCalm, true);
  rig.leave(1);
  await rig.manager.check(NEVER);
  strictEqual(rig.manager.isCalm, false);
  strictEqual(new PressureRig().manager.isCalm, true);
  strictEqual(rig.manager.transitionMs, 300_000);
});

Deno.test("NodePressureManager ends a condition, with an event, after the transition", async () => {
  const rig = new PressureRig(threshold());
  rig.leave(1);
  await rig.manager.check(NEVER);
  rig.leave(500);
  await rig.clock.advance(299_999);
  await rig.manager.check(NEVER);
  deepStrictEqual(rig.manager.conditions, ["MemoryPressure"]);
  await rig.clock.advance(1);
  await rig.manager.check(NEVER);
  deepStrictEqual(rig.manager.conditions, []);
  strictEqual(rig.changes, 2);
  ok(rig.events.at(-1)?.includes("NodeHasSufficientMemory"));
});

Deno.test("NodePressureManager looks every ten seconds, and right after a pod has ended (GC-07)", async () => {
  const rig = new PressureRig(threshold());
  rig.pod("first", 9);
  rig.pod("second", 1);
  rig.leave(500);
  const stop = new AbortController();
  const run = rig.manager.run(stop.signal);
  await rig.clock.advance(9_999);
  strictEqual(rig.looks, 1);
  rig.leave(1);
  await rig.clock.advance(1);
  deepStrictEqual(rig.evicted.map(([uid]) => uid), ["first"]);
  // One at a time, however long it takes to end, up to half a minute.
  await rig.clock.advance(5_000);
  strictEqual(rig.evicted.length, 1);
  rig.ended.add("first");
  rig.running.shift();
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.evicted.map(([uid]) => uid), ["first", "second"]);
  rig.running.shift();
  const { looks } = rig;
  await rig.clock.advance(29_999);
  strictEqual(rig.looks, looks);
  await rig.clock.advance(1);
  ok(rig.looks > looks);
  stop.abort(new Error("enough"));
  await rejects(run, /enough/);
});
