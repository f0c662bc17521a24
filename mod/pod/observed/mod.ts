/**
 * A pod as the runtime shows it, and what the end of a container means under its restart
 * policy. Pure.
 *
 * @example An end under OnFailure
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { judgeEnd } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { name: "web", namespace: "default", uid: "1-2", labels: { app: "web" } },
 *   spec: { restartPolicy: "OnFailure", containers: [{ name: "web" }] },
 * } as const;
 * strictEqual(judgeEnd({ name: "web" }, pod, { exitCode: 1 }), "restart");
 * strictEqual(judgeEnd({ name: "web" }, pod, { exitCode: 0 }), "leave");
 * ```
 *
 * @module
 */

export {
  type ActuatedResources,
  appWasReached,
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
  canRestartAll,
  containerRestartPolicy,
  isDueToStart,
  judgeEnd,
  judgeInitEnd,
  resetRequests,
  restartsAfterKill,
  runsInNewSandbox,
} from "./restart_rules.ts";
