/**
 * How often, and after what pause, something is tried again: the restart back-off of
 * containers, and the way back from an edit whose pod does not become ready. Pure; the
 * moments are given.
 *
 * @example A second crash waits
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { restartDelay } from "./mod.ts";
 *
 * const first = restartDelay(undefined, { finishedAtMs: 1_000, nowMs: 1_000 });
 * strictEqual(first.kind, "start");
 * const entry = first.kind === "start" ? first.entry : undefined;
 * const again = restartDelay(entry, { finishedAtMs: 2_000, nowMs: 2_500 });
 * strictEqual(again.kind === "wait" && again.untilMs, 12_000);
 * ```
 *
 * @module
 */

export {
  type EvictionNote,
  isEndedForPressure,
  mayReturn,
  noteEviction,
  pauseBeforeReturn,
} from "./eviction_return.ts";
export {
  BACKOFF_EXPIRY_MS,
  type BackoffEntry,
  crashLoopMessage,
  isBackoffExpired,
  pullDelay,
  pullFailed,
  restartDelay,
  restartKey,
} from "./restart_backoff.ts";
export {
  type BadRevision,
  badRevision,
  describeRollback,
  endLostTrial,
  isSameHistory,
  isSameVersion,
  judgeVersion,
  type PodHistory,
  podRevision,
  type Readiness,
  resumeHistory,
  ROLLED_BACK_CONDITION,
  takeVersion,
  trialLeftMs,
  trialMarkMs,
} from "./rollback.ts";
