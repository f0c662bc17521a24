/**
 * What a store will be after a list.
 *
 * @module
 */

import type { ApiObject } from "../../api/workload/mod.ts";
import {
  isSameLife,
  keyInStore,
  type ObjectDelta,
  type ObjectIndex,
} from "../store/mod.ts";
import { freezeDeep } from "./freeze.ts";
import type { Notice } from "./notice.ts";

/** Whether nothing has happened between the two. */
export function isSameState(before: ApiObject, after: ApiObject): boolean {
  const { resourceVersion } = before.metadata;
  return resourceVersion !== undefined &&
    resourceVersion === after.metadata.resourceVersion &&
    isSameLife(before, after);
}

/** What handlers are told when an object takes its place, or that of another one. */
export function noticesOf<T extends ApiObject>(
  before: T | undefined,
  object: T,
  isInitial: boolean,
): readonly Notice<T>[] {
  if (before === undefined) return [{ kind: "added", object, isInitial }];
  if (isSameLife(before, object)) return [{ kind: "updated", before, object }];
  return [
    { kind: "removed", object: before, isStale: true },
    { kind: "added", object, isInitial },
  ];
}

/** A store that is filled beside the one whose place it will take. */
export class NextStore<T extends ApiObject> {
  readonly store: ObjectIndex<T>;
  readonly #old: ObjectIndex<T>;
  readonly #options: { readonly isInitial: boolean; readonly freezes: boolean };
  readonly #removed: Notice<T>[] = [];
  readonly #changed: Notice<T>[] = [];
  readonly #failed = new Map<string, ObjectDelta<T>>();

  constructor(
    old: ObjectIndex<T>,
    options: { readonly isInitial: boolean; readonly freezes: boolean },
  ) {
    this.#old = old;
    this.#options = options;
    this.store = old.makeEmpty();
  }

  /** What handlers are told then; first what is gone, so that who counts never sees too many. */
  get notices(): readonly Notice<T>[] {
    return [...this.#removed, ...this.#changed];
  }

  /** What an index could not take; in its place is what was there before. */
  get failed(): Iterable<ObjectDelta<T>> {
    return this.#failed.values();
  }

  /**
   * Takes a list in, object by object, then what the list does not have: it is gone, unless
   * the list is not whole.
   */
  *fill(objects: readonly T[], isWhole: boolean): Generator<void> {
    for (const object of objects) yield this.#put(object);
    for (const key of this.#old.keys()) {
      if (isWhole) yield this.#leave(key);
      else yield this.#keep(key);
    }
  }

  #put(object: T): void {
    const key = keyInStore(object);
    const own = this.store.get(key);
    const before = own ?? this.#old.get(key);
    // What was told stays, so that nobody takes the same for something new.
    const isSame = before !== undefined && isSameState(before, object);
    const { isInitial, freezes } = this.#options;
    if (freezes && !isSame) freezeDeep(object);
    try {
      this.store.exchange(key, isSame ? before : object, own);
    } catch {
      // Tried again in the store itself, where it is told.
      this.#failed.set(key, { kind: "put", key, object });
      return this.#keep(key);
    }
    this.#failed.delete(key);
    if (!isSame) this.#changed.push(...noticesOf(before, object, isInitial));
  }

  #keep(key: string): void {
    const object = this.#left(key);
    if (object !== undefined) this.store.exchange(key, object);
  }

  #leave(key: string): void {
    const object = this.#left(key);
    if (object === undefined) return;
    this.#removed.push({ kind: "removed", object, isStale: true });
  }

  /** What was there and is not here. */
  #left(key: string): T | undefined {
    return this.store.get(key) === undefined ? this.#old.get(key) : undefined;
  }
}
