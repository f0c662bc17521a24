/**
 * The sets of pods that sources list, and one set out of all of them.
 *
 * @module
 */

export { deepEqual } from "./deep_equal.ts";
export { PodStorage } from "./merge.ts";
export {
  isCompleteSet,
  type SourceContent,
  type SourceName,
  type SourceSet,
} from "./source_set.ts";
export { SourcesReady } from "./sources_ready.ts";
