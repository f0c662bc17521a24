/**
 * Says how pods are: from what was observed to the status that everybody sees.
 *
 * @module
 */

import type { Pod, PodStatus } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import {
  buildPodStatus,
  DEADLINE_EXCEEDED_REASON,
  isTerminalPhase,
  type PodEviction,
} from "../../pod/status/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import type { StepDeps } from "./sync_deps.ts";

/** How the pod stands that is reported. */
export interface ReportOptions {
  /** Its containers have been stopped for good. */
  readonly terminal: boolean;
  readonly eviction?: PodEviction | undefined;
}

/** Computes the statuses of pods and stores them. */
export class PodReporter {
  readonly #deps: StepDeps;

  constructor(deps: StepDeps) {
    this.#deps = deps;
  }

  /** Reports a pod as it was observed. Returns the status that holds from now on. */
  report(pod: Pod, observed: ObservedPod, options: ReportOptions): PodStatus {
    const { clock, events, statuses, prober, resizes } = this.#deps;
    const { uid } = pod.metadata;
    const memory = this.#deps.memory.of(uid);
    const previous = statuses.get(uid);
    const status = buildPodStatus({
      pod,
      observed,
      previous,
      waiting: memory.waiting,
      probes: prober,
      nowMs: clock.now(),
      activeMs: memory.activeMs(previous?.startTime),
      runtimeName: this.#deps.runtimeName(),
      terminal: options.terminal,
      hostIps: this.#deps.hostIps(),
      resizeRefusal: resizes.refusalOf(uid),
      eviction: options.eviction,
    });
    const stored = statuses.setPodStatus(pod, status);
    // Reads the clocks for a new pod now, before its start takes long or the clock is set.
    memory.activeMs(stored.startTime);
    const { reason, message = "" } = stored;
    const isNew = !isTerminalPhase(previous?.phase);
    if (isNew && reason === DEADLINE_EXCEEDED_REASON) {
      events.record(podRef(pod), { type: "Normal", reason, message });
    }
    return stored;
  }
}
