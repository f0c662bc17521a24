/**
 * From the bytes of a manifest to objects: parsed, checked against the schema, defaulted and validated. Each document gives objects or faults; a bad one never hides a good one beside it.
 *
 * @module
 */

export { decodeManifest } from "./decode.ts";
export type { DecodedPod, PodNameHint } from "./decode_document.ts";
export { decodeManifestParts, type FaultyPart } from "./decode_parts.ts";
export { POD_SCHEMA } from "./gen/pod_schema.ts";
export { placePodFaults } from "./pod_places.ts";
