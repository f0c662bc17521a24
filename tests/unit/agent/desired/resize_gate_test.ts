/**
 * Which pods that run may have the other resources they ask for.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import type { WorkerView } from "../../../../mod/agent/workers/worker_record.ts";
import { ResizeGate } from "../../../../mod/agent/desired/resize_gate.ts";
import { parseQuantity } from "../../../../mod/api/objects/mod.ts";
import type { Pod, PodEvent } from "../../../../mod/api/types/mod.ts";
import { container, pod as plainPod } from "../../../support/pods.ts";
import { workerView } from "../../../support/agent/worker_view.ts";
import { eventsTo } from "../../../support/event_list.ts";

function pod(uid: string, cpu: string, name = uid): Pod {
  const containers = [container("c", { resources: { requests: { cpu } } })];
  return plainPod({ uid, name, containers });
}

/** A gate of a node with two processors. */
class Rig {
  readonly events: PodEvent[] = [];
  readonly enqueued: string[] = [];
  workers: readonly WorkerView[] = [];
  /** Pods that nobody claims; `undefined` while they are not known. */
  unclaimed: readonly Pod[] | undefined = [];
  readonly sessions = new Sessions();
  readonly gate: ResizeGate;

  constructor(...pods: readonly Pod[]) {
    this.workers = pods.map((each) => workerView(each));
    this.gate = new ResizeGate({
      events: eventsTo(this.events),
      sessions: this.sessions,
      workers: {
        list: () => this.workers,
        enqueue: (uid) => void this.enqueued.push(uid),
      },
      seen: { unclaimed: () => this.unclaimed },
      node: () => ({
        name: "edge1",
        labels: {},
        allocatable: new Map([["cpu", parseQuantity("2")]]),
        allowedUnsafeSysctls: [],
      }),
    });
  }

  /** Why a pod that has one processor does not get as many as this. */
  reason(cpu: string, uid = "a"): string | undefined {
    return this.gate.judge(pod(uid, cpu), pod(uid, "1"))?.reason;
  }
}

Deno.test("ResizeGate.judge() gives a pod what the node has left", () => {
  const rig = new Rig(pod("a", "2"));
  strictEqual(rig.reason("2"), undefined);
  deepStrictEqual(rig.events, []);
});

Deno.test("ResizeGate.judge() does not ask the node for a pod that wants no other resources", () => {
  const asks = pod("a", "5");
  strictEqual(new Rig(asks).gate.judge(asks, asks), undefined);
});

Deno.test("ResizeGate.judge() tells each cause of a refusal once, though its figures move", () => {
  const rig = new Rig(pod("a", "2"), pod("b", "500m"));
  strictEqual(rig.reason("2"), "Deferred");
  rig.workers = [workerView(pod("b", "600m"))];
  strictEqual(rig.reason("2"), "Deferred");
  strictEqual(rig.reason("3"), "Infeasible");
  deepStrictEqual(rig.events.map(({ type, reason }) => [type, reason]), [
    ["Warning", "ResizeDeferred"],
    ["Warning", "ResizeInfeasible"],
  ]);
});

Deno.test("ResizeGate.judge() tells a refusal again after one that was granted", () => {
  const rig = new Rig(pod("b", "1"));
  rig.reason("2");
  rig.workers = [];
  strictEqual(rig.reason("2"), undefined);
  rig.workers = [workerView(pod("b", "1"))];
  rig.reason("2");
  strictEqual(rig.events.length, 2);
});

// Each stands beside a pod that wants both processors of the node.
const BESIDE: readonly {
  readonly what: string;
  readonly worker: WorkerView;
  readonly reason: string | undefined;
}[] = [
  {
    what: "that runs",
    worker: workerView(pod("b", "1")),
    reason: "Deferred",
  },
  {
    what: "that ends",
    worker: workerView(pod("b", "1"), {
      state: { kind: "terminating", cause: "removed", graceSeconds: 1 },
    }),
    reason: "Deferred",
  },
  {
    what: "that has ended",
    worker: workerView(pod("b", "1"), {
      state: {
        kind: "finished",
        cause: "completed",
      },
    }),
    reason: undefined,
  },
  {
    what: "that ends and begins anew with more",
    worker: workerView(pod("b", "0"), {
      state: { kind: "terminating", cause: "removed", graceSeconds: 1 },
      stop: { kind: "begun", next: pod("b", "1") },
    }),
    reason: "Deferred",
  },
  {
    what: "of the same name",
    worker: workerView(pod("b", "1", "a")),
    reason: undefined,
  },
  {
    what: "that only the runtime knows",
    worker: workerView(pod("b", "1"), {
      state: { kind: "terminating", cause: "removed", graceSeconds: 1 },
      isOrphan: true,
    }),
    reason: undefined,
  },
];

for (const { what, worker: beside, reason } of BESIDE) {
  Deno.test(`ResizeGate.judge() ${reason === undefined ? "does not count" : "counts"} a pod ${what}`, () => {
    const rig = new Rig();
    rig.workers = [beside];
    strictEqual(rig.reason("2"), reason);
  });
}

Deno.test("ResizeGate.holding() counts a refused pod with what it has until it is granted or gone", () => {
  const rig = new Rig(pod("b", "1"));
  const wanted = pod("a", "2");
  const allocated = pod("a", "1");
  strictEqual(rig.gate.holding(wanted), wanted);
  rig.gate.judge(wanted, allocated);
  strictEqual(rig.gate.holding(wanted), allocated);
  rig.workers = [];
  rig.gate.judge(wanted, allocated);
  strictEqual(rig.gate.holding(wanted), wanted);
  rig.workers = [workerView(pod("b", "1"))];
  rig.gate.judge(wanted, allocated);
  rig.sessions.delete("a");
  strictEqual(rig.gate.holding(wanted), wanted);
});

Deno.test("ResizeGate.retry() has those looked at again that were refused, and no others", () => {
  const rig = new Rig(pod("b", "1"));
  rig.reason("2", "refused");
  rig.reason("1", "granted");
  rig.gate.retry();
  deepStrictEqual(rig.enqueued, ["refused"]);
});

Deno.test("ResizeGate.judge() counts pods that nobody claims yet, and waits until they are known", () => {
  const rig = new Rig(pod("a", "2"));
  rig.unclaimed = undefined;
  strictEqual(rig.reason("2"), "Deferred");
  strictEqual(rig.reason("3"), "Infeasible");
  rig.unclaimed = [pod("unmanaged", "1")];
  strictEqual(rig.reason("2"), "Deferred");
  rig.unclaimed = [];
  strictEqual(rig.reason("2"), undefined);
});
