/**
 * What follows from a container answering its probes otherwise than before.
 *
 * @module
 */

import type { ProbeChange } from "../../prober/mod.ts";
import type { StatusManager } from "../../status/mod.ts";
import type { PodWorkers } from "./pod_workers.ts";
import { runningPod } from "./worker_record.ts";

/**
 * Passes a result on: to the status at once, whatever the pod's worker is busy with, and
 * to the worker, which acts upon it (kubelet: handleProbeSync). The result of a pod that
 * is gone is dropped.
 */
export function takeProbeResult(
  { uid, containerId, kind, verdict }: ProbeChange,
  { statuses, workers }: {
    readonly statuses: Pick<StatusManager, "setProbeAnswer">;
    readonly workers: Pick<PodWorkers, "get" | "enqueue" | "enqueueNow">;
  },
): void {
  const state = workers.get(uid)?.state;
  if (state?.pod === undefined) return;
  const isSuccess = verdict === "success";
  if (kind !== "liveness") {
    statuses.setProbeAnswer(state.pod, { kind, containerId, isSuccess });
  }
  // A worker that ends its pod does so whatever the containers answer.
  if (runningPod(state) === undefined) return;
  if (kind === "readiness") workers.enqueue(uid);
  // A startup comes once for a container: others wait for its start, or it is killed.
  else if (kind === "startup" || !isSuccess) workers.enqueueNow(uid);
}
