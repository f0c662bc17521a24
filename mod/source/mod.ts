/**
 * What all sources of manifests share: what a file gave, what is kept of it for the next
 * agent, and what a source says of itself. Nothing is ended or overwritten because of
 * what is unknown.
 *
 * @example A source that was never refused anything
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { checkpointCondition } from "./mod.ts";
 *
 * const { status, reason } = checkpointCondition(undefined, 0);
 * strictEqual(status, "True");
 * strictEqual(reason, "Kept");
 * ```
 *
 * @module
 */

export {
  contentOf,
  type FileContent,
  type FileEntries,
  type FileEntry,
  type FileReport,
  type FileVerdict,
  isContentKnown,
  isFinal,
  isSettling,
  type Kept,
  type LastGood,
  mayBeTaken,
  type OutageFault,
  type PodCheck,
  reportOn,
  restoredEntries,
  sameContent,
  unknownOf,
  unknownPaths,
} from "./file_state.ts";
export type {
  AllLastGood,
  DirectoryNote,
  LastGoodStore,
  ManifestFiles,
  RecordFiles,
  SetCheckpoint,
} from "./ports.ts";
export {
  checkpointCondition,
  type CheckpointFailure,
  type SourceCondition,
  SourceConditions,
} from "./source_conditions.ts";
