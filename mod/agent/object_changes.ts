/**
 * What a delivery of objects means for the pods that refer to them.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { Heard, ObjectChange } from "../local/mod.ts";
import { objectReferences } from "../pod/inputs/mod.ts";
import { isCompleteSet, type SourceSet } from "../source/merge/mod.ts";

/** A test for the pods that refer to a changed object. */
export function refersTo(
  changes: readonly ObjectChange[],
): (pod: Pod) => boolean {
  const changed = new Set(changes.map(keyOf));
  return (pod) =>
    objectReferences(pod).some((reference) => changed.has(keyOf(reference)));
}

/** Takes what makes pods, and shows what they refer to. */
export interface WorkloadTaker {
  /** Takes all that a source has of it, as far as it was heard. */
  replace(set: SourceSet, heard: Heard): void;
}

/** How much of its objects a source has said. */
export function heardOf(set: SourceSet): Heard {
  if (set.op === "restore") return "restored";
  return isCompleteSet(set) ? "whole" : "part";
}

function keyOf(
  { kind, namespace, name }: Pick<ObjectChange, "kind" | "namespace" | "name">,
): string {
  return `${kind}/${namespace}/${name}`;
}
