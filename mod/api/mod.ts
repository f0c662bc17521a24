/**
 * Kubernetes vocabulary: the wire types, what names and keys mean, quantities and
 * hashes, and the one way from a manifest's bytes to pods.
 *
 * @module
 */

export * from "./decode.ts";
export * from "./defaults.ts";
export * from "./event.ts";
export * from "./fault.ts";
export * from "./hash.ts";
export * from "./ids.ts";
export * from "./keys.ts";
export * from "./objects.ts";
export * from "./pod_facts.ts";
export * from "./quantity.ts";
export { MAX_MANIFEST_BYTES } from "./source_text.ts";
export * from "./suggest.ts";
export * from "./types.ts";
export * from "./yaml.ts";
export { podNameProblem } from "./validate_metadata.ts";
