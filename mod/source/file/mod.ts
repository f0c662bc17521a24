/**
 * The file source: a file or a directory of manifests, watched and read again, each file
 * with its own verdict. A file that turns invalid or unreadable keeps its last good pods;
 * only one that is gone takes them along.
 *
 * @example Which names are manifests
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { isManifestName } from "./mod.ts";
 *
 * strictEqual(isManifestName("web.yaml", { everyFile: false }), true);
 * strictEqual(isManifestName("web.yaml~", { everyFile: false }), false);
 * ```
 *
 * @module
 */

export { checkTemplate } from "./check_template.ts";
export { isManifestName } from "./file_hints.ts";
export {
  describeFaults,
  FileReporter,
  type FileReporterDeps,
} from "./file_reporter.ts";
export { FileSource, type FileSourceOptions } from "./file_source.ts";
export { identifyPod } from "./identify_pod.ts";
export { createManifestFiles } from "./manifest_files.ts";
export { hintOf, keepEqual, logWarnings } from "./manifest_reader.ts";
