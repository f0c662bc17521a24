/**
 * From the bytes of a manifest to objects: parsed, checked against the schema, defaulted
 * and validated. A manifest is taken as a whole or in parts, where a bad document hides
 * no good one beside it. No input makes it throw, and no fault shows a value of a Secret.
 *
 * @example A misspelt field
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { decodeManifest } from "./mod.ts";
 *
 * const result = decodeManifest("kind: Pod\napiVersion: v1\nmetdata: {}\n");
 * deepStrictEqual(result.kind === "refused" && result.faults[0], {
 *   field: "metdata",
 *   message: 'Unknown field: Pod has no field "metdata", did you mean "metadata"?',
 *   line: 3,
 *   document: 1,
 * });
 * ```
 *
 * @module
 */

export {
  type ClusterClaim,
  type ClusterVolume,
  readClusterClaim,
  readClusterVolume,
} from "./cluster_claim.ts";
export {
  type ClusterReading,
  readClusterObject,
  readClusterPod,
} from "./cluster_objects.ts";
export {
  decodeManifest,
  decodeManifestParts,
  type FaultyPart,
} from "./decode.ts";
export type { DecodedPod, PodNameHint } from "./decode_document.ts";
export { ITEM_KINDS } from "./manifest_kinds.ts";
export { POD_SCHEMA } from "./gen/pod_schema.ts";
export { placePodFaults, placeWorkloadFaults } from "./decode_text.ts";
