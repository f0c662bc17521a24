/**
 * What acting on shortages needs of the rest of the agent.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { MeterOptions, PodUse } from "../usage/mod.ts";
import type { DiskLayout } from "./disk_layout.ts";
import type { Observations } from "./signals.ts";
import type { Threshold } from "./thresholds.ts";

/** Measures the node and its pods. */
export interface PressureMeters {
  /** What is left now; what cannot be measured is not there. */
  observe(): Promise<Observations>;
  /** What pods use, by UID; one that cannot be measured is not there. */
  pods(
    pods: readonly Pod[],
    options: MeterOptions,
  ): Promise<ReadonlyMap<string, PodUse>>;
  /** On which disk what lies. */
  layout(signal: AbortSignal): Promise<DiskLayout>;
}

/** The pods that may be ended for the sake of the others. */
export interface PressuredPods {
  /** Those that are to run; not those that end. */
  running(): readonly Pod[];
  /** Ends a pod for good; `false` when it ends already. */
  evict(
    uid: string,
    eviction: {
      readonly reason: string;
      readonly message: string;
      readonly disruption: boolean;
    },
    options: { readonly graceSeconds: number },
  ): boolean;
  /** Whether nothing of the pod runs any more. */
  hasEnded(uid: string): boolean;
}

/** What acting on shortages works on. */
export interface PressureParts {
  readonly pods: PressuredPods;
  /** Asked in this order before a pod is ended. */
  readonly reclaimers: readonly Reclaimer[];
}

/** Frees room on the node without ending a pod that keeps its limits: images, dead containers. */
export interface Reclaimer {
  /**
   * Frees what it can of what is short.
   *
   * @returns `under_way` when room is going to be free soon: no pod is ended until the
   * next look
   * @throws when it could not be tried
   */
  reclaim(
    shortage: Pick<Threshold, "signal" | "kind">,
    signal: AbortSignal,
  ): Promise<"done" | "under_way">;
}
