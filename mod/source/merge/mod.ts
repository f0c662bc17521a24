/**
 * One set of pods out of all that the sources list. Sources never touch each other, what
 * was handed out is never altered, and nothing counts as removed before its source has
 * delivered a complete set.
 *
 * @example What counts as the same
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { deepEqual } from "./mod.ts";
 *
 * strictEqual(deepEqual({ args: [] }, {}), true);
 * strictEqual(deepEqual({ emptyDir: {} }, {}), false);
 * ```
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
