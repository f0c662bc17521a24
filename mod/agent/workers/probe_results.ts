/**
 * What follows from a container answering otherwise than before.
 *
 * @module
 */

import type { ProbeChange } from "../../prober/mod.ts";
import type { StatusManager } from "../../status/mod.ts";
import type { PodWorkers } from "./pod_workers.ts";

/** What passing answers on needs. */
export interface ProbeAnswersDeps {
  readonly statuses: Pick<
    StatusManager,
    "setContainerReadiness" | "setContainerStartup"
  >;
  readonly workers: Pick<PodWorkers, "get" | "enqueue" | "enqueueNow">;
}

/**
 * Passes answers on: to the status at once, whatever the pod's worker is busy with, and
 * to the worker, which does what is to be done about it (kubelet: handleProbeSync).
 */
export class ProbeAnswers {
  readonly #deps: ProbeAnswersDeps;

  constructor(deps: ProbeAnswersDeps) {
    this.#deps = deps;
  }

  /** Takes one answer. Of a pod that is gone it says nothing any more. */
  take(change: ProbeChange): void {
    const { statuses, workers } = this.#deps;
    const { uid, containerId, kind } = change;
    const worker = workers.get(uid);
    if (worker?.pod === undefined) return;
    const isSuccess = change.verdict === "success";
    // A worker that ends its pod does so whatever the containers answer.
    const isSyncing = worker.state.kind === "syncing";
    switch (kind) {
      case "readiness":
        statuses.setContainerReadiness(worker.pod, containerId, isSuccess);
        if (isSyncing) workers.enqueue(uid);
        return;
      case "startup":
        statuses.setContainerStartup(worker.pod, containerId, isSuccess);
        // Said once a container: others wait for it to have started, or it is killed.
        if (isSyncing) workers.enqueueNow(uid);
        return;
      case "liveness":
        if (!isSuccess && isSyncing) workers.enqueueNow(uid);
    }
  }
}
