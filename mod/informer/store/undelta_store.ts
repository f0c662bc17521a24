/**
 * Full sets instead of changes.
 *
 * @module
 */

import type { ApiObject } from "../../api/workload/mod.ts";
import { ObjectIndex } from "./object_index.ts";
import type { ListFacts, ObjectSink } from "./object_sink.ts";

/**
 * Hands on all objects whenever one has changed: for those who merge whole sets, such as
 * sources of pods.
 *
 * A bookmark changes nothing, so nothing is handed on.
 */
export class UndeltaStore<T extends ApiObject> implements ObjectSink<T> {
  readonly #objects = new ObjectIndex<T>();
  readonly #push: (objects: readonly T[]) => void;

  /** @param push takes the set; called before the change that made it returns */
  constructor(push: (objects: readonly T[]) => void) {
    this.#push = push;
  }

  /** What was handed on last. */
  list(): readonly T[] {
    return this.#objects.list();
  }

  put(object: T): void {
    this.#objects.put(object);
    this.#push(this.list());
  }

  remove(object: T): void {
    this.#objects.remove(object);
    this.#push(this.list());
  }

  replace(objects: readonly T[], facts: ListFacts): void {
    this.#objects.replace(objects, facts);
    this.#push(this.list());
  }

  bookmark(_version: string): void {
    // The set is as it was.
  }
}
