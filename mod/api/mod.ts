/**
 * Kubernetes vocabulary: the wire types, what names and keys mean, quantities and
 * hashes, and the one way from a manifest's bytes to pods.
 *
 * @module
 */

export * from "./base64.ts";
export * from "./decode.ts";
export type {
  DecodedPod,
  ManifestOptions,
  PartHint,
  PodNameHint,
} from "./decode_document.ts";
export * from "./decode_parts.ts";
export * from "./defaults.ts";
export * from "./event.ts";
export * from "./fault.ts";
export type { UnknownFields } from "./fault_list.ts";
export * from "./hash.ts";
export * from "./ids.ts";
export * from "./immutable_changes.ts";
export * from "./keys.ts";
export * from "./mount_path.ts";
export * from "./objects.ts";
export * from "./pod_facts.ts";
export * from "./pod_places.ts";
export * from "./quantity.ts";
export { rollbackAfterMs } from "./rollback_after.ts";
export * from "./sealed_record.ts";
export { MAX_MANIFEST_BYTES } from "./source_text.ts";
export * from "./suggest.ts";
export * from "./types.ts";
export * from "./yaml.ts";
export { podNameProblem } from "./validate_metadata.ts";
