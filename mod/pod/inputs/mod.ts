/**
 * What a pod takes from elsewhere: the ConfigMaps and Secrets that it names, the volumes
 * that lie on the node, the Services that it is told of, and the fields of its own that the downward API gives it. Pure.
 *
 * @example Labels as a file
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { podFieldFile } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { name: "web", namespace: "default", uid: "1-2", labels: { app: "web" } },
 *   spec: { containers: [{ name: "web" }] },
 * } as const;
 * strictEqual(podFieldFile(pod, "metadata.labels"), 'app="web"');
 * ```
 *
 * @module
 */

export { podFieldFile, podFieldValue, resourceFieldValue } from "./downward.ts";
export {
  isOfCluster,
  objectReferences,
  type PodObjects,
  type VolumeSource,
  type WithheldObject,
} from "./references.ts";
export { serviceHostLines, serviceVariables } from "./service_links.ts";
export {
  clusterServiceTarget,
  type DeclaredService,
  isSelected,
  type ServiceTarget,
  serviceTarget,
  type ServingPod,
} from "./service_target.ts";
export {
  isTokenName,
  type PodToken,
  podTokens,
  TOKEN_KEY,
  tokenOf,
} from "./tokens.ts";
export { claimOfVolume, type VolumeClaim } from "./volume_claims.ts";
