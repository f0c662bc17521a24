/**
 * Pods that fail at once, and the pauses after which a DaemonSet or a StatefulSet makes
 * them again.
 *
 * @example The third of three pods that failed waits for two seconds
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { pauseLeftMs, withFailures } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: {
 *     name: "web-0",
 *     namespace: "shop",
 *     uid: "u1",
 *     annotations: withFailures({}, 2) ?? {},
 *   },
 *   spec: { containers: [] },
 * } as const;
 * strictEqual(pauseLeftMs(pod, 500), 1500);
 * ```
 *
 * @module
 */

export {
  agesOf,
  countIn,
  failuresWith,
  pauseLeftMs,
  withFailures,
} from "./failed_pods.ts";
