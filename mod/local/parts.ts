/**
 * The parts of objects that only some kinds have.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import type { PodSpec } from "../api/types/mod.ts";
import {
  type ApiObject,
  isWorkloadKind,
  type OwnerReference,
  type WorkloadManifest,
} from "../api/workload/mod.ts";

/** The finalizer of what waits for the end of what it owns. */
export const FOREGROUND: string = "foregroundDeletion";
/** The finalizer of what is to leave behind what it owns. */
export const ORPHAN: string = "orphan";

/** Any object, with the parts that most kinds have. */
export type AnyObject = ApiObject & {
  readonly spec?: unknown;
  readonly status?: unknown;
};

/** Whether something has all that every object has. */
export function isApiObject(value: unknown): value is AnyObject {
  if (!isRecord(value) || !isRecord(value["metadata"])) return false;
  const { name, namespace, uid } = value["metadata"];
  return [value["apiVersion"], value["kind"], name, namespace, uid]
    .every((part) => typeof part === "string");
}

/** Whether it is of a kind that makes pods; what is in it was checked where it was read. */
export function isWorkload(
  object: AnyObject,
): object is AnyObject & WorkloadManifest {
  return isWorkloadKind(object.kind) && isRecord(object.spec);
}

/** Whether it has at least the shape of the spec of a Pod. */
export function isPodSpec(value: unknown): value is PodSpec {
  return isRecord(value) && Array.isArray(value["containers"]);
}

/** The object with another status; without one if that is `undefined`. */
export function withStatus(object: AnyObject, status: unknown): AnyObject {
  const { status: _before, ...rest } = object;
  return status === undefined ? rest : { ...rest, status };
}

/** The object with some of its metadata replaced. */
export function withMeta(
  object: AnyObject,
  changes: Partial<ApiObject["metadata"]>,
): AnyObject {
  return { ...object, metadata: { ...object.metadata, ...changes } };
}

/** Who an object belongs to. */
export function ownersOf(object: ApiObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? [];
}

/** What must be done before an object is gone. */
export function finalizersOf(object: ApiObject): readonly string[] {
  return object.metadata.finalizers ?? [];
}

/** Whether an object is to go. */
export function isDeleted(object: ApiObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** The object with these finalizers only. */
export function withFinalizers(
  object: AnyObject,
  finalizers: readonly string[],
): AnyObject {
  const { finalizers: _before, ...metadata } = object.metadata;
  return finalizers.length === 0
    ? { ...object, metadata }
    : { ...object, metadata: { ...metadata, finalizers } };
}

/** The object with these owners only. */
export function withOwners(
  object: AnyObject,
  owners: readonly OwnerReference[],
): AnyObject {
  const { ownerReferences: _before, ...metadata } = object.metadata;
  return owners.length === 0
    ? { ...object, metadata }
    : { ...object, metadata: { ...metadata, ownerReferences: owners } };
}
