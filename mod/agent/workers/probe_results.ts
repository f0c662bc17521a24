/**
 * What follows from a container answering its probes otherwise than before.
 *
 * @module
 */

import type { ProbeChange } from "../../prober/mod.ts";
import type { StatusManager } from "../../status/mod.ts";
import type { PodWorkers } from "./pod_workers.ts";

/**
 * Passes a result on: to the status at once, whatever the pod's worker is busy with, and
 * to the worker, which acts upon it (kubelet: handleProbeSync). That of a pod that is gone
 * means nothing any more.
 */
export function takeProbeResult(
  { uid, containerId, kind, verdict }: ProbeChange,
  { statuses, workers }: {
    readonly statuses: Pick<
      StatusManager,
      "setContainerReadiness" | "setContainerStartup"
    >;
    readonly workers: Pick<PodWorkers, "get" | "enqueue" | "enqueueNow">;
  },
): void {
  const worker = workers.get(uid);
  if (worker?.pod === undefined) return;
  const isSuccess = verdict === "success";
  // A worker that ends its pod does so whatever the containers answer.
  const isSyncing = worker.state.kind === "syncing";
  switch (kind) {
    case "readiness":
      statuses.setContainerReadiness(worker.pod, containerId, isSuccess);
      if (isSyncing) workers.enqueue(uid);
      return;
    case "startup":
      statuses.setContainerStartup(worker.pod, containerId, isSuccess);
      // It comes once for a container: others wait for its start, or it is killed.
      if (isSyncing) workers.enqueueNow(uid);
      return;
    case "liveness":
      if (!isSuccess && isSyncing) workers.enqueueNow(uid);
  }
}
