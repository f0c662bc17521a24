/**
 * Where pods come from, and how full sets become changes.
 *
 * @module
 */

export {
  FileSource,
  type FileSourceDeps,
  type FileSourceOptions,
} from "./file_source.ts";
export type { FileReport } from "./file_state.ts";
export type { FileReporterDeps } from "./file_reporter.ts";
export {
  type IdentifiedPod,
  identifyPod,
  type IdentityContext,
  type PodOrigin,
} from "./identity.ts";
export {
  DiskLastGoodStore,
  type DiskLastGoodStoreDeps,
} from "./last_good_store.ts";
export {
  createManifestFiles,
  type ManifestFilesDeps,
} from "./manifest_files.ts";
export { PodStorage, type PodStorageDeps } from "./merge.ts";
export type { LastGood, LastGoodStore, ManifestFiles } from "./ports.ts";
export type {
  PodChange,
  PodOperation,
  SourceName,
  SourceSet,
} from "./source_set.ts";
export { type SeenSources, SourcesReady } from "./sources_ready.ts";
