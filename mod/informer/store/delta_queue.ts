/**
 * The line between who reads a server and who works on what it said.
 *
 * @module
 */

import type { ApiObject } from "../../api/workload/mod.ts";
import { keyInStore, type ListFacts, type ObjectSink } from "./object_sink.ts";

/** One thing that has happened at the server. */
export type Delta<T extends ApiObject> =
  | ObjectDelta<T>
  /** The result of a list: one step, whatever it holds. */
  | {
    readonly kind: "replaced";
    readonly objects: readonly T[];
    readonly facts: ListFacts;
  }
  /** Everything that is held is to be looked at again. */
  | { readonly kind: "sync" }
  | { readonly kind: "bookmark"; readonly version: string };

/** What has happened to one object. */
export interface ObjectDelta<T extends ApiObject> {
  readonly kind: "put" | "removed";
  readonly key: string;
  /** The object now, or as it was at last. */
  readonly object: T;
}

/**
 * Keeps what has happened in order until it is worked on.
 *
 * This is upstream's RealFIFO, the only queue of its informers since 1.36, with the per-key
 * compression of DeltaFIFO before it: what comes out is what went in, in that order,
 * without what was superseded meanwhile. A `put` is superseded by a later `put` of the
 * same uid; of two removals of a key in a row the first counts; a sync, a bookmark or a
 * whole list is superseded by another right after it. An object that was removed and made
 * anew shows both. So whoever reads the line sees versions that rise, and it grows with
 * the objects that there are, not with how often one changes.
 *
 * What vanished without a removal, because no watch was open, is found when a `replaced` is
 * worked on: the store is then what was known before.
 */
export class DeltaQueue<T extends ApiObject> implements ObjectSink<T> {
  /** What was superseded is a hole. */
  #slots: (Delta<T> | undefined)[] = [];
  #head = 0;
  /** How many slots were thrown away, so that places stay the same. */
  #base = 0;
  #size = 0;
  /** Where the latest delta of a key is, if nothing came since that concerns all keys. */
  readonly #latest = new Map<string, number>();
  /**
   * Up to which place `#latest` is complete. A delta that is taken before the next comes
   * is never entered: that is what happens nearly always, and it is cheap so.
   */
  #entered = 0;
  readonly #wake: () => void;

  /** @param wake is called whenever something was put in */
  constructor(wake: () => void = () => {}) {
    this.#wake = wake;
  }

  /** How many deltas wait. */
  get size(): number {
    return this.#size;
  }

  /** How many places it takes, those of what was superseded included. */
  get slots(): number {
    return this.#slots.length;
  }

  put(object: T): void {
    const key = keyInStore(object);
    const delta = this.#latestOf(key);
    if (delta?.kind === "put" && isSameLife(delta.object, object)) {
      this.#drop(key);
    }
    this.#push({ kind: "put", key, object });
  }

  remove(object: T): void {
    const key = keyInStore(object);
    const delta = this.#latestOf(key);
    // The first of two removals in a row is the one that was seen.
    if (delta?.kind === "removed") return;
    this.#push({ kind: "removed", key, object });
  }

  replace(objects: readonly T[], facts: ListFacts): void {
    const last = this.#slots.at(-1);
    if (facts.isWhole && last?.kind === "replaced") this.#dropLast();
    this.#push({ kind: "replaced", objects, facts });
  }

  bookmark(version: string): void {
    if (this.#slots.at(-1)?.kind === "bookmark") this.#dropLast();
    // It says nothing of any object, so it parts nothing.
    this.#push({ kind: "bookmark", version });
  }

  /** Asks for everything that is held to be looked at again. */
  sync(): void {
    if (this.#slots.at(-1)?.kind === "sync") return;
    this.#push({ kind: "sync" });
  }

  /** Takes the next delta; `undefined` when there is none. */
  take(): Delta<T> | undefined {
    while (this.#head < this.#slots.length) {
      const at = this.#head++;
      const delta = this.#slots[at];
      this.#slots[at] = undefined;
      if (delta === undefined) continue;
      this.#size--;
      this.#compact();
      return delta;
    }
    return undefined;
  }

  #latestOf(key: string): Delta<T> | undefined {
    if (this.#size === 0) return undefined;
    const from = Math.max(this.#entered - this.#base, this.#head);
    for (let at = from; at < this.#slots.length; at++) {
      const delta = this.#slots[at];
      if (delta !== undefined && "key" in delta) {
        this.#latest.set(delta.key, this.#base + at);
      } else if (delta?.kind === "replaced" || delta?.kind === "sync") {
        this.#latest.clear();
      }
    }
    this.#entered = this.#base + this.#slots.length;
    const place = this.#latest.get(key);
    return place === undefined ? undefined : this.#slots[place - this.#base];
  }

  #push(delta: Delta<T>): void {
    this.#slots.push(delta);
    this.#size++;
    if (this.#slots.length - this.#head > 2 * this.#size + COMPACT_SLOTS) {
      this.#squeeze();
    }
    this.#wake();
  }

  /** Takes the holes out. */
  #squeeze(): void {
    this.#base += this.#slots.length;
    this.#slots = this.#slots.filter((delta) => delta !== undefined);
    this.#head = 0;
    this.#latest.clear();
    this.#entered = this.#base;
  }

  /** Drops the latest delta of a key. */
  #drop(key: string): void {
    const place = this.#latest.get(key);
    if (place === undefined) return;
    this.#latest.delete(key);
    this.#slots[place - this.#base] = undefined;
    this.#size--;
  }

  #dropLast(): void {
    this.#slots.pop();
    this.#size--;
  }

  #compact(): void {
    if (this.#head < this.#slots.length && this.#head < COMPACT_SLOTS) return;
    if (this.#head * 2 < this.#slots.length) return;
    this.#base += this.#head;
    if (this.#head === this.#slots.length) {
      this.#slots.length = 0;
      // What it says of deltas that were taken means nothing, and takes room.
      if (this.#latest.size > 0) this.#latest.clear();
    } else this.#slots = this.#slots.slice(this.#head);
    this.#head = 0;
  }
}

/** Below this, moving the slots up costs more than the memory it frees. */
const COMPACT_SLOTS = 64;

/** Whether both are the same object at different times, and not one made anew. */
export function isSameLife(before: ApiObject, after: ApiObject): boolean {
  return before.metadata.uid === after.metadata.uid;
}
