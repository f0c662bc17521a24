/**
 * Objects in memory, found by name, by UID and by whom they belong to.
 *
 * @module
 */

import type { AccessRef } from "../api/access/mod.ts";
import { keyOf, objectKey } from "./kept_kinds.ts";
import { type AnyObject, ownersOf } from "./parts.ts";

/** Where an object comes from. */
export type Origin =
  /** A client made it. */
  | { readonly kind: "owned" }
  /** It stands in a manifest. */
  | { readonly kind: "manifest"; readonly note: ManifestNote }
  /** It is a picture of what a source has; nobody keeps it here. */
  | { readonly kind: "shown" };

/** What is known of the manifest that an object was made from. */
export interface ManifestNote {
  readonly source: string;
  /** Names its content. */
  readonly hash: string;
  /** The labels and annotations that come from it. */
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

/** An object, and what is known of it. */
export interface KeptObject {
  readonly object: AnyObject;
  readonly origin: Origin;
  /** Its `resourceVersion` as a number. */
  readonly revision: number;
}

/** Holds objects. What is held is replaced, never altered. */
export class ObjectTable {
  /** By kind, and then by key. */
  readonly #kinds = new Map<string, Map<string, KeptObject>>();
  readonly #byUid = new Map<string, KeptObject>();
  /** The keys of what belongs to an owner, by its UID. */
  readonly #owned = new Map<string, Set<string>>();
  /** The keys of each kind in their order, as long as no key comes or goes. */
  readonly #order = new Map<string, readonly string[]>();

  /** How many objects there are. */
  get size(): number {
    return this.#byUid.size;
  }

  get(
    ref: Pick<AccessRef, "kind" | "namespace" | "name">,
  ): KeptObject | undefined {
    return this.byKey(objectKey(ref));
  }

  byKey(key: string): KeptObject | undefined {
    return this.#kinds.get(kindOf(key))?.get(key);
  }

  byUid(uid: string): KeptObject | undefined {
    return this.#byUid.get(uid);
  }

  /** The keys of what names that owner, as they are while one goes through them. */
  dependents(uid: string): Iterable<string> {
    return this.#owned.get(uid) ?? [];
  }

  /** Every key of a kind, in order. */
  keys(kind: string): readonly string[] {
    const known = this.#order.get(kind);
    if (known !== undefined) return known;
    const keys = [...this.#kinds.get(kind)?.keys() ?? []].sort();
    this.#order.set(kind, keys);
    return keys;
  }

  /** All of a kind, in order. */
  list(kind: string): readonly KeptObject[] {
    const objects = this.#kinds.get(kind);
    return this.keys(kind).map((key) => objects?.get(key))
      .filter((kept) => kept !== undefined);
  }

  /** How many of a kind there are. */
  count(kind: string): number {
    return this.#kinds.get(kind)?.size ?? 0;
  }

  /** All of a kind, in any order. */
  ofKind(kind: string): Iterable<KeptObject> {
    return this.#kinds.get(kind)?.values() ?? [];
  }

  /** Every object, of whatever kind. */
  *all(): Iterable<KeptObject> {
    for (const objects of this.#kinds.values()) yield* objects.values();
  }

  /** Puts an object in the place of the one of its name. */
  put(kept: KeptObject): void {
    const { kind, metadata } = kept.object;
    const key = keyOf(kept.object);
    const objects = this.#kinds.get(kind) ?? new Map<string, KeptObject>();
    this.#kinds.set(kind, objects);
    const before = objects.get(key);
    if (before === undefined) this.#order.delete(kind);
    else this.#forget(key, before);
    objects.set(key, kept);
    this.#byUid.set(metadata.uid, kept);
    for (const { uid } of ownersOf(kept.object)) {
      const owned = this.#owned.get(uid) ?? new Set();
      this.#owned.set(uid, owned.add(key));
    }
  }

  remove(key: string): void {
    const before = this.byKey(key);
    if (before === undefined) return;
    this.#forget(key, before);
    this.#kinds.get(kindOf(key))?.delete(key);
    this.#order.delete(kindOf(key));
  }

  #forget(key: string, { object }: KeptObject): void {
    this.#byUid.delete(object.metadata.uid);
    for (const { uid } of ownersOf(object)) {
      const owned = this.#owned.get(uid);
      owned?.delete(key);
      if (owned?.size === 0) this.#owned.delete(uid);
    }
  }
}

function kindOf(key: string): string {
  return key.slice(0, key.indexOf("\n"));
}
