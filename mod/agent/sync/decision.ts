/**
 * What the last sync of a pod came to, to be explained.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { SyncFailure } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import type { PodPlan } from "../../pod/plan/mod.ts";
import type { SyncResult } from "../workers/mod.ts";

/** What was found of a pod, what was to be done about it, and what came of that. */
export interface PodDecision {
  /** When it was made; wall time, milliseconds since the epoch. */
  readonly atMs: number;
  /** `undefined` where the sync ended before there was one. */
  readonly plan: PodPlan | undefined;
  /** The look that the plan was made from. */
  readonly observed: ObservedPod;
  /** With the resources that it may have. */
  readonly pod: Pod;
  /** In the order they happened; one without a container is about the pod as a whole. */
  readonly failures: readonly SyncFailure[];
  /** Those of the sync before, while this one goes on: containers still wait for them. */
  readonly earlier?: readonly SyncFailure[];
  readonly next: NextSync;
}

/** When the pod is looked at again although nothing moves. */
export interface NextSync {
  /** `acting`: the plan is being carried out at present. The others: see `SyncResult`. */
  readonly kind: "acting" | "settled" | "retry" | "held" | "terminal";
  /** On the monotonic clock, in milliseconds; absent where it is the usual period. */
  readonly dueMs?: number;
}

/** Why a pod could not be ended. */
export interface EndFailure {
  /** What the runtime or the system said. */
  readonly words: string;
  /** Wall time, milliseconds since the epoch. */
  readonly atMs: number;
}

/** When the next sync is due after one that ended so at `nowMs`. */
export function nextAfter(result: SyncResult, nowMs: number): NextSync {
  switch (result.kind) {
    case "settled":
      return result.againMs === undefined
        ? { kind: "settled" }
        : { kind: "settled", dueMs: nowMs + result.againMs };
    case "retry":
      return { kind: "retry", dueMs: nowMs + result.delayMs };
    case "held":
    case "terminal":
      return result;
  }
}

/** The same, but due in `leftMs` at the latest; `undefined` says that nothing presses. */
export function noLaterThan(
  result: SyncResult,
  leftMs: number | undefined,
): SyncResult {
  if (leftMs === undefined) return result;
  switch (result.kind) {
    case "settled":
      return { ...result, againMs: Math.min(result.againMs ?? leftMs, leftMs) };
    case "retry":
      return { ...result, delayMs: Math.min(result.delayMs, leftMs) };
    case "held":
    case "terminal":
      return result;
  }
}
