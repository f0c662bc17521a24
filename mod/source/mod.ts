/**
 * Where pods and the objects beside them come from, and how full sets become changes.
 *
 * @module
 */

export {
  FileSource,
  type FileSourceDeps,
  type FileSourceOptions,
} from "./file_source.ts";
export { isManifestName } from "./file_hints.ts";
export type { FileReport } from "./file_state.ts";
export type { FileReporterDeps } from "./file_reporter.ts";
export {
  type IdentifiedPod,
  identifyPod,
  type IdentityContext,
  type PodOrigin,
} from "./identity.ts";
export { DiskLastGoodStore } from "./last_good_store.ts";
export {
  createManifestFiles,
  type ManifestFilesDeps,
} from "./manifest_files.ts";
export { PodStorage, type PodStorageDeps } from "./merge.ts";
export {
  type MergeOutcome,
  type NotificationMode,
  notificationsOf,
  type PodNotification,
  type PodSnapshot,
} from "./merge_modes.ts";
export {
  type MuxedSource,
  PodConfigMux,
  type PodConfigMuxDeps,
} from "./merge_mux.ts";
export type {
  AllLastGood,
  DirectoryNote,
  Kept,
  LastGood,
  LastGoodStore,
  ManifestFiles,
  RecordFiles,
  SetCheckpoint,
} from "./ports.ts";
export type { RecordKeeperDeps, RecordPlaces } from "./record_keeper.ts";
export {
  DiskSetCheckpoint,
  dropSetCheckpoint,
  type SetCheckpointOptions,
} from "./source_checkpoint.ts";
export { DiskRollbackStore } from "./rollback_store.ts";
export type {
  CheckpointFailure,
  SourceCondition,
} from "./source_conditions.ts";
export {
  isCompleteSet,
  type PodChange,
  type PodOperation,
  type SourceContent,
  type SourceName,
  type SourcePart,
  type SourceSet,
  type SourceUpdate,
} from "./source_set.ts";
export { type SeenSources, SourcesReady } from "./sources_ready.ts";
export {
  UrlSource,
  type UrlSourceDeps,
  type UrlSourceOptions,
} from "./url_source.ts";
