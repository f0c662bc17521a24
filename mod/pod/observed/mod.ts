/**
 * A pod as the runtime shows it, and what the end of a container means under its restart policy. Pure.
 *
 * @module
 */

export {
  type ActuatedResources,
  currentContainer,
  type DeliberateStop,
  isInNewestSandbox,
  isUnclearEnd,
  latestContainer,
  type ObservedContainer,
  type ObservedPod,
  type ObservedSandbox,
  type ObservedState,
} from "./observed.ts";
export {
  asksForReset,
  canRestartAll,
  containerRestartPolicy,
  isDueToStart,
  judgeEnd,
  judgeInitEnd,
  restartAllIsDue,
  restartsAfterKill,
  runsInNewSandbox,
} from "./restart_rules.ts";
