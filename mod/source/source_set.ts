/**
 * What sources deliver and what becomes of it.
 *
 * @module
 */

import type { Pod } from "../api/mod.ts";

/** Where pods come from, spelled as the annotation `kubernetes.io/config.source`. */
export type SourceName = "file" | "http" | "api";

/** Everything that one source wants to run, at one moment. */
export interface SourceSet {
  readonly source: SourceName;
  readonly pods: readonly Pod[];
}

/**
 * What a change does to its pods (KUBELET_FACTS §1.6, upstream's PodOperation).
 *
 * `remove` is for pods that left their source, `delete` for pods that are still
 * there with a deletion timestamp, `reconcile` for pods whose status alone changed.
 */
export type PodOperation =
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
   * `add` by which a source that has nothing tells that it is ready.
   */
  readonly pods: readonly Pod[];
}
