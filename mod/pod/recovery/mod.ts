/**
 * How often, and after what pause, something is tried again: the restart back-off of containers, and the way back from an edit whose pod does not become ready. Pure; the moments are given.
 *
 * @module
 */

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
