/**
 * What a pod takes from elsewhere: the ConfigMaps and Secrets that it names, and the fields of its own that the downward API gives it.
 *
 * @module
 */

export { podFieldFile, podFieldValue, resourceFieldValue } from "./downward.ts";
export { objectReferences } from "./references.ts";
export type { VolumeSource } from "./volume_source.ts";
