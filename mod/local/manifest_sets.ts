/**
 * What manifests want, source by source.
 *
 * @module
 */

import type { KindRef } from "../api/access/mod.ts";
import { fnv1a128Hex, stableJson } from "../api/objects/mod.ts";
import type { ObjectMeta } from "../api/types/mod.ts";
import { keyOf } from "./kept_kinds.ts";
import type { Heard } from "./object_store.ts";
import type { ManifestNote } from "./object_table.ts";

/** An object as a manifest gives it: decoded, with its defaults, and valid. */
export interface ManifestObject extends KindRef {
  readonly metadata: ObjectMeta & {
    readonly name: string;
    readonly namespace: string;
  };
  readonly spec: unknown;
  /** Names the spec as it is written. @default that of `spec` */
  readonly writtenHash?: string;
}

/** What manifests say of one name. */
export type Wanted =
  /** It is to be this. */
  | {
    readonly kind: "object";
    readonly manifest: ManifestObject;
    readonly note: ManifestNote;
  }
  /** It is to go. */
  | { readonly kind: "nothing" }
  /** Who has a say in it has not spoken yet. */
  | { readonly kind: "unknown" };

interface HeardSet {
  readonly isWhole: boolean;
  readonly objects: ReadonlyMap<string, Wanted & { readonly kind: "object" }>;
}

/** Holds the sets of all sources. The source with the first name has the first say. */
export class ManifestSets {
  readonly #expected: readonly string[] | undefined;
  readonly #sets = new Map<string, HeardSet>();

  /** @param expected all sources that there are; absent: any may still speak */
  constructor(expected: readonly string[] | undefined) {
    this.#expected = expected;
  }

  /**
   * Takes the set of a source; of two objects of one name the first counts.
   *
   * @returns the names about which it says something else now
   */
  replace(
    source: string,
    objects: readonly ManifestObject[],
    heard: Heard,
  ): ReadonlySet<string> {
    const keys = new Set(this.#sets.get(source)?.objects.keys());
    const own = new Map<string, Wanted & { readonly kind: "object" }>();
    for (const manifest of objects) {
      const key = keyOf(manifest);
      if (own.has(key)) continue;
      const note = noteOf(source, manifest);
      own.set(key, { kind: "object", manifest, note });
      keys.add(key);
    }
    this.#sets.set(source, { isWhole: heard === "whole", objects: own });
    return keys;
  }

  /** Every name that a source has. */
  keys(): ReadonlySet<string> {
    const sets = [...this.#sets.values()];
    return new Set(sets.flatMap(({ objects }) => [...objects.keys()]));
  }

  /**
   * What is wanted of a name.
   *
   * @param holder the source that had the last say in it, if any
   */
  wanted(key: string, holder: string | undefined): Wanted {
    const sources = [...this.#sets.keys()].sort();
    const source = sources.find((each) =>
      this.#sets.get(each)?.objects.has(key)
    );
    const found = source && this.#sets.get(source)?.objects.get(key);
    // What it comes from has more right to it and may still have it.
    const isHeld = holder !== undefined && !this.#hasSpoken(holder) &&
      (source === undefined || holder < source);
    // What a source had that is gone may be found in one that is left.
    const isMoving = holder !== undefined && this.#isGone(holder) &&
      this.#expected?.every((each) => this.#hasSpoken(each)) === false;
    if (isHeld || isMoving && found === undefined) return { kind: "unknown" };
    return found || { kind: "nothing" };
  }

  #hasSpoken(source: string): boolean {
    return this.#sets.get(source)?.isWhole === true || this.#isGone(source);
  }

  #isGone(source: string): boolean {
    return this.#expected?.includes(source) === false;
  }
}

function noteOf(source: string, manifest: ManifestObject): ManifestNote {
  const { apiVersion, kind, metadata, spec, writtenHash } = manifest;
  const { labels = {}, annotations = {} } = metadata;
  return {
    source,
    hash: fnv1a128Hex(
      stableJson({
        ...{ apiVersion, kind, labels, annotations },
        spec: writtenHash ?? spec,
      }),
    ),
    labels: Object.keys(labels).sort(),
    annotations: Object.keys(annotations).sort(),
  };
}
