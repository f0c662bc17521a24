/**
 * The file source: a file or a directory of manifests, watched and read again, each file with its own verdict. An invalid file keeps its last good pods.
 *
 * @module
 */

export { isManifestName } from "./file_hints.ts";
export {
  describeFaults,
  FileReporter,
  type FileReporterDeps,
} from "./file_reporter.ts";
export { FileSource, type FileSourceOptions } from "./file_source.ts";
export { identifyPod } from "./identify_pod.ts";
export { createManifestFiles } from "./manifest_files.ts";
export { keepEqual } from "./manifest_reader.ts";
