/**
 * Objects by key and by what else is asked for.
 *
 * @module
 */

import { invariant } from "../../base/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { keyInStore, type ListFacts, type ObjectSink } from "./object_sink.ts";

/** Under which values an index has an object; gives the same for the same object always. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Indexes by their names. */
export type Indexers<T> = Readonly<Record<string, IndexFunction<T>>>;

/** What can be asked of a store. What it gives is shared: nobody may alter it. */
export interface ObjectReader<T extends ApiObject> {
  readonly size: number;
  /** Up to which version of the server the store is; empty before the first list. */
  readonly version: string;
  get(key: string): T | undefined;
  list(): readonly T[];
  keys(): readonly string[];
  /** The objects that an index has under a value. */
  byIndex(index: string, value: string): readonly T[];
  /** The keys of {@linkcode byIndex}. */
  keysByIndex(index: string, value: string): readonly string[];
  /** The values that an index has objects under. */
  indexValues(index: string): readonly string[];
}

/** The index that every store has: by namespace. */
export const NAMESPACE_INDEX = "namespace";

/**
 * The objects of one kind, with named indexes.
 *
 * A change happens in one step or, when an index function throws, not at all. An index may
 * be added at any time.
 */
export class ObjectIndex<T extends ApiObject>
  implements ObjectReader<T>, ObjectSink<T> {
  #objects = new Map<string, T>();
  #indexes = new Map<string, NamedIndex<T>>();
  #version = "";

  constructor(indexers: Indexers<T> = {}) {
    this.addIndexers({
      [NAMESPACE_INDEX]: ({ metadata: { namespace } }) => [namespace],
      ...indexers,
    });
  }

  get size(): number {
    return this.#objects.size;
  }

  get version(): string {
    return this.#version;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }

  byIndex(index: string, value: string): readonly T[] {
    const found: T[] = [];
    for (const key of this.#index(index).keysOf(value)) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  keysByIndex(index: string, value: string): readonly string[] {
    return [...this.#index(index).keysOf(value)];
  }

  indexValues(index: string): readonly string[] {
    return this.#index(index).values();
  }

  /**
   * Adds indexes; what is there already is found by them at once.
   *
   * @throws {InvariantError} When there is one of the name already.
   */
  addIndexers(indexers: Indexers<T>): void {
    const added = Object.entries(indexers).map(([name, valuesOf]) => {
      invariant(
        !this.#indexes.has(name),
        `Cannot add the index "${name}": there is one of that name`,
      );
      const index = new NamedIndex(valuesOf);
      for (const [key, object] of this.#objects) {
        index.move(key, [], valuesOf(object));
      }
      return [name, index] as const;
    });
    for (const [name, index] of added) this.#indexes.set(name, index);
  }

  put(object: T): void {
    this.exchange(keyInStore(object), object);
  }

  remove(object: T): void {
    this.exchange(keyInStore(object), undefined);
  }

  /**
   * Sets what is under a key, or takes it away.
   *
   * @param before what is there, from whoever has looked already
   * @returns what was there before
   */
  exchange(
    key: string,
    object: T | undefined,
    before: T | undefined = this.#objects.get(key),
  ): T | undefined {
    // All functions first, so that one that throws leaves everything as it was.
    const values = [];
    for (const { valuesOf } of this.#indexes.values()) {
      values.push(object === undefined ? NO_VALUES : valuesOf(object));
    }
    let at = 0;
    for (const index of this.#indexes.values()) {
      const from = before === undefined ? NO_VALUES : index.valuesOf(before);
      index.move(key, from, values[at++] ?? NO_VALUES);
    }
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, object);
    return before;
  }

  replace(objects: readonly T[], { version, isWhole }: ListFacts): void {
    if (isWhole) {
      const present = new Set(objects.map(keyInStore));
      for (const key of this.keys()) {
        if (!present.has(key)) this.exchange(key, undefined);
      }
    }
    for (const object of objects) this.put(object);
    this.#version = version;
  }

  bookmark(version: string): void {
    this.#version = version;
  }

  /** Another one with the same indexes that holds nothing yet. */
  makeEmpty(): ObjectIndex<T> {
    const made = new ObjectIndex<T>();
    for (const [name, { valuesOf }] of this.#indexes) {
      made.#indexes.set(name, new NamedIndex(valuesOf));
    }
    return made;
  }

  /**
   * Holds what another one does from now on, in one step; the other must not be used any
   * more.
   *
   * @returns whether it does: not when it has indexes by now that the other lacks
   */
  become(other: ObjectIndex<T>): boolean {
    if (other.#indexes.size < this.#indexes.size) return false;
    this.#objects = other.#objects;
    this.#indexes = other.#indexes;
    return true;
  }

  #index(name: string): NamedIndex<T> {
    const index = this.#indexes.get(name);
    invariant(index !== undefined, `There is no index "${name}"`);
    return index;
  }
}

const NO_VALUES: readonly string[] = [];
const NO_KEYS: ReadonlySet<string> = new Set();

class NamedIndex<T> {
  readonly valuesOf: IndexFunction<T>;
  readonly #keys = new Map<string, Set<string>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.valuesOf = valuesOf;
  }

  keysOf(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? NO_KEYS;
  }

  values(): readonly string[] {
    return [...this.#keys.keys()];
  }

  move(key: string, from: readonly string[], to: readonly string[]): void {
    // The most changes leave an object where it is.
    if (from.length === 1 && to.length === 1 && from[0] === to[0]) return;
    for (const value of from) {
      if (to.includes(value)) continue;
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
    for (const value of to) {
      if (from.includes(value)) continue;
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, new Set([key]));
      else keys.add(key);
    }
  }
}
