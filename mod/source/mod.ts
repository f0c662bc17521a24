/**
 * What all sources of manifests share: what a file gave, what is kept of it for the next
 * agent, and what a source says of itself. Nothing is ended or overwritten because of
 * what is unknown.
 *
 * @example A source that was never refused anything
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { SourceConditions } from "./mod.ts";
 *
 * const start = { wallMs: 0, monotonicMs: 0 };
 * const conditions = new SourceConditions(start);
 * conditions.update([], start);
 * deepStrictEqual(
 *   conditions.list(start, undefined).map(({ reason }) => reason),
 *   ["Answers", "Valid", "Kept"],
 * );
 * ```
 *
 * @module
 */

export {
  contentOf,
  faultReport,
  type FileContent,
  type FileEntries,
  type FileEntry,
  type FileReport,
  type FileVerdict,
  isContentKnown,
  isEmptyContent,
  isFinal,
  isSettling,
  type Kept,
  mayBeTaken,
  NO_CONTENT,
  type OutageFault,
  type PodCheck,
  reportOn,
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
  type CheckpointFailure,
  type DescribedReport,
  type SourceCondition,
  SourceConditions,
} from "./source_conditions.ts";
