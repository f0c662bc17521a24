/**
 * Where what is read from a server goes.
 *
 * @module
 */

import type { ApiObject } from "../../api/workload/mod.ts";

/** What a list is besides its objects. */
export interface ListFacts {
  readonly version: string;
  /**
   * Whether these are all there are. Objects that could not be read are unknown, so
   * nothing is gone because it is not in a list that is not whole.
   */
  readonly isWhole: boolean;
}

/**
 * Takes what a server says, in the order in which it is said. After one that throws
 * everything is read anew.
 */
export interface ObjectSink<T extends ApiObject> {
  /** An object is there or has changed. */
  put(object: T): void;
  /** An object is gone; what is given is how it was at last. */
  remove(object: T): void;
  /** These are the objects now. */
  replace(objects: readonly T[], facts: ListFacts): void;
  /** Nothing else has happened up to this version. */
  bookmark(version: string): void;
}

/** What a store calls an object: `namespace/name`, or the name of what has no namespace. */
export function keyInStore(object: ApiObject): string {
  const { namespace, name } = object.metadata;
  return storeKey(namespace, name);
}

/** The key of the object of this name; see {@linkcode keyInStore}. */
export function storeKey(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
