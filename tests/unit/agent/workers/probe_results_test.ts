/**
 * What follows from an answer: status first, then the worker.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { takeProbeResult } from "../../../../mod/agent/workers/probe_results.ts";
import type { PodState } from "../../../../mod/pod/lifecycle/mod.ts";
import type { ProbeChange } from "../../../../mod/prober/mod.ts";
import { workerView } from "../../../support/agent/worker_view.ts";
import { podOf } from "../../../support/pods.ts";

const SYNCING: PodState = { kind: "syncing" };
const ENDING = {
  kind: "terminating",
  cause: "removed",
  graceSeconds: 30,
} as const satisfies PodState;

interface Row {
  readonly kind: ProbeChange["kind"];
  readonly verdict: ProbeChange["verdict"];
  /** @default syncing */
  readonly state?: PodState;
  /** @default that of a known pod */
  readonly uid?: string;
  readonly follows: readonly string[];
}

// kubelet.go, syncLoopIteration: a success of liveness is no reason to look.
const rows: readonly Row[] = [
  { kind: "liveness", verdict: "failure", follows: ["enqueueNow a"] },
  { kind: "liveness", verdict: "success", follows: [] },
  {
    kind: "readiness",
    verdict: "success",
    follows: ["readiness c-0 true", "enqueue a"],
  },
  {
    kind: "readiness",
    verdict: "failure",
    follows: ["readiness c-0 false", "enqueue a"],
  },
  {
    kind: "startup",
    verdict: "success",
    follows: ["startup c-0 true", "enqueueNow a"],
  },
  {
    kind: "startup",
    verdict: "failure",
    follows: ["startup c-0 false", "enqueueNow a"],
  },
  { kind: "liveness", verdict: "failure", state: ENDING, follows: [] },
  {
    kind: "readiness",
    verdict: "failure",
    state: ENDING,
    follows: ["readiness c-0 false"],
  },
  {
    kind: "startup",
    verdict: "success",
    state: ENDING,
    follows: ["startup c-0 true"],
  },
  { kind: "readiness", verdict: "success", uid: "gone", follows: [] },
];

Deno.test("takeProbeResult() has a pod looked at that is kept running for its successor's images", () => {
  const done: string[] = [];
  const stop = { kind: "deferred" } as const;
  const one = podOf("a");
  const state = { ...ENDING, pod: one, wanted: undefined, stop } as const;
  for (const kind of ["liveness", "readiness", "startup"] as const) {
    takeProbeResult({
      uid: "a",
      container: "c",
      containerId: "c-0",
      kind,
      verdict: "failure",
    }, {
      statuses: { setProbeAnswer: () => {} },
      workers: {
        get: (uid) => ({ uid, fullName: "a", state }),
        enqueue: (uid) => void done.push(`enqueue ${uid}`),
        enqueueNow: (uid) => void done.push(`enqueueNow ${uid}`),
      },
    });
  }
  deepStrictEqual(done, ["enqueueNow a", "enqueue a", "enqueueNow a"]);
});

for (const { kind, verdict, state = SYNCING, uid = "a", follows } of rows) {
  const of = uid === "a" ? `a pod that is ${state.kind}` : "a pod that is gone";
  Deno.test(`takeProbeResult() acts upon a ${verdict} of ${kind} of ${of}`, () => {
    const done: string[] = [];
    const worker = workerView(podOf("a"), { state });
    const change = { uid, container: "c", containerId: "c-0", kind, verdict };
    takeProbeResult(change, {
      statuses: {
        setProbeAnswer: (_pod, { kind, containerId, isSuccess }) =>
          void done.push(`${kind} ${containerId} ${isSuccess}`),
      },
      workers: {
        get: (wanted) => wanted === "a" ? worker : undefined,
        enqueue: (wanted) => void done.push(`enqueue ${wanted}`),
        enqueueNow: (wanted) => void done.push(`enqueueNow ${wanted}`),
      },
    });
    deepStrictEqual(done, follows);
  });
}
