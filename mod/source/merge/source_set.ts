/**
 * What sources deliver and what becomes of it.
 *
 * @module
 */

import type { LocalObject, ObjectGetter } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { WorkloadManifest } from "../../api/workload/mod.ts";
import type { WithheldObject } from "../../pod/inputs/mod.ts";

/**
 * Where pods come from, spelled as the annotation `kubernetes.io/config.source`. Those of
 * `local` are made by the controllers of this node.
 */
export type SourceName = "file" | "http" | "api" | "local";

/** What a source has: the pods that are to run, what makes more, and what pods refer to. */
export interface SourceContent {
  readonly pods: readonly Pod[];
  /** What pods, of this source or another, may refer to by name. */
  readonly objects: readonly LocalObject[];
  /** What makes pods. */
  readonly workloads: readonly WorkloadManifest[];
}

/** Everything that one source wants to be there, at one moment. */
export interface SourceSet extends SourceContent {
  readonly source: SourceName;
  /**
   * `restore` marks what a checkpoint had while the source itself is silent: it may
   * be old or incomplete, so it only adds, never to what the source has said
   * itself, and does not make the source ready.
   *
   * @default {"set"}
   */
  readonly op?: "set" | "restore";
  /**
   * The parts of the source with unknown content, such as manifests that cannot be read
   * and whose records cannot be read either. As long as there are any, the set does not
   * make the source ready, since they may want pods that the set does not name.
   *
   * @default none
   */
  readonly unknown?: readonly string[];
  /**
   * Objects that its pods name and of which its server refuses to say anything.
   *
   * @default none
   */
  readonly withheld?: readonly WithheldObject[];
  /** Of `restore`: why something that pods refer to may be missing. */
  readonly absence?: ObjectGetter["absence"];
}

/** Some pods of a source that delivers them one by one instead of all at once. */
export interface SourcePart {
  /**
   * `add` and `update` say what the pods are now, `delete` that they are to end by
   * themselves, `remove` that they are gone from the source.
   */
  readonly op: "add" | "update" | "delete" | "remove";
  readonly source: SourceName;
  readonly pods: readonly Pod[];
}

/** Whatever a source may say. */
export type SourceUpdate = SourceSet | SourcePart;

/** Whether an update names all that its source wants. */
export function isCompleteSet(update: SourceUpdate): boolean {
  const { op = "set" } = update;
  const unknown = "unknown" in update ? update.unknown ?? [] : [];
  return op === "set" && unknown.length === 0;
}

/**
 * What a change does to its pods (upstream's PodOperation).
 *
 * `remove` is for pods that left their source, `delete` for pods that are still
 * there with a deletion timestamp, `reconcile` for pods whose status alone changed.
 * `restore` is an `add` out of a checkpoint: it does not make its source ready.
 */
export type PodOperation =
  | "restore"
  | "add"
  | "update"
  | "remove"
  | "delete"
  | "reconcile";

/** One step from the pods held before to the pods held now. */
export interface PodChange {
  readonly op: PodOperation;
  readonly source: SourceName;
  /**
   * The pods as they are now; of `remove`, as they were last. Empty only in the
   * `add` by which a source without pods reports that it is ready.
   */
  readonly pods: readonly Pod[];
}
