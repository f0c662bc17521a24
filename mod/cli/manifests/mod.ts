/**
 * The manifests of a folder as commands change them: an object is found in its file, a
 * change is planned as a whole file, and written at once or not at all. What somebody else
 * wrote keeps its comments and its order, or is not changed.
 *
 * @example What differs
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { differenceText } from "./mod.ts";
 *
 * strictEqual(
 *   differenceText("a.yaml", "a: 1\n", "a: 2\n"),
 *   "--- a.yaml\n+++ a.yaml\n@@ -1,1 +1,1 @@\n-a: 1\n+a: 2\n",
 * );
 * ```
 *
 * @module
 */

export { lockManifests } from "./folder_lock.ts";
export {
  type FilePlan,
  type FoundObject,
  ManifestChangeError,
  type ManifestFile,
  ManifestFolder,
  wordsOf,
} from "./manifest_folder.ts";
export {
  type ObjectName,
  type ObjectPlace,
  objectsOf,
  OWN_HEADER,
  splitDocuments,
  withoutDocument,
} from "./manifest_text.ts";
export { differenceText } from "./text_difference.ts";
export { takenTest } from "./wanted_spec.ts";
