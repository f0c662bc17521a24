/**
 * Pods that an API server has bound to this node, and that are kept for times without one.
 *
 * Nothing is removed before the server's first list, and an empty one is asked for again
 * before it counts. What the server had last runs again after a reboot without it.
 *
 * @example The first set of a server with one pod
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { systemClock } from "../../base/mod.ts";
 * import { silentLogger } from "../../base/telemetry/mod.ts";
 * import { ApiPodSource } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1" as const,
 *   kind: "Pod" as const,
 *   metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion: "7" },
 *   spec: { containers: [{ name: "c" }] },
 * };
 * const source = new ApiPodSource({
 *   clock: systemClock,
 *   log: silentLogger,
 *   pods: {
 *     hasSynced: true,
 *     list: () => [pod],
 *     follow: () => ({ [Symbol.dispose]() {} }),
 *   },
 *   list: () => Promise.resolve([pod]),
 *   read: (read) => ({ kind: "read", pod: read }),
 *   refused() {},
 *   withoutToken() {},
 *   isHere: () => false,
 *   references: {
 *     want() {},
 *     isKnown: () => true,
 *     list: () => [],
 *     settled: () => () => true,
 *     withheld: () => [],
 *     follow: () => ({ [Symbol.dispose]() {} }),
 *     run: () => Promise.resolve(),
 *   },
 *   checkpoint: {
 *     load: () => Promise.resolve({ kind: "absent" }),
 *     save() {},
 *     failure: () => undefined,
 *     run: () => Promise.resolve(),
 *   },
 *   isNode: () => true,
 *   isNodeKnown: () => true,
 * });
 * const stop = new AbortController();
 * for await (const set of source.run(stop.signal)) {
 *   deepStrictEqual(set.pods.map(({ metadata }) => metadata.name), ["web"]);
 *   stop.abort();
 * }
 * ```
 *
 * @module
 */

export {
  ApiPodSource,
  type ApiPodSourceDeps,
  type WatchedPods,
} from "./api_pod_source.ts";
export type { PodReading, PodRefusal } from "./pod_reader.ts";
export type { RefusedPod } from "./refusals.ts";
export { ClaimRequests, type ClaimRequestsDeps } from "./claim_requests.ts";
export {
  type ClaimKeeper,
  ReferencedObjects,
  type ReferencedObjectsDeps,
  type TokenKeeper,
} from "./referenced_objects.ts";
export type { Answers } from "./refusal.ts";
export {
  type GivenToken,
  ServiceTokens,
  type ServiceTokensDeps,
} from "./service_tokens.ts";
export { WATCHED_KINDS, type WatchedObjectKind } from "./wishes.ts";
