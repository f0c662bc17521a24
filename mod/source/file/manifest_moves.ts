/**
 * Which names manifests move between.
 *
 * @module
 */

import type { FileStamp } from "../../host/files/mod.ts";
import { sameFile } from "./file_hints.ts";

/** Links names that manifests move between, and knows where files were. All times are on the monotonic clock. */
export class ManifestMoves {
  /** For each name all that something moved between, directly or not. */
  readonly #linked = new Map<string, Set<string>>();
  /** Until when what had a name and was moved aside may come back; the last one is last. */
  readonly #asideMs = new Map<string, number>();
  #lastAsideMs = -Infinity;
  /** The names of which the last hint said that they moved to each. */
  readonly #sources = new Map<string, Set<string>>();
  /** Which path had each file when the manifests were put together last, by its inode. */
  #places: ReadonlyMap<number, FilePlace> = new Map();

  /** Something moved from one name to another. */
  link(from: string, to: string): void {
    const [a, b] = [this.#group(from), this.#group(to)];
    const [less, more] = a.size < b.size ? [a, b] : [b, a];
    for (const path of less) {
      more.add(path);
      this.#linked.set(path, more);
    }
  }

  #group(path: string): Set<string> {
    const group = this.#linked.get(path) ?? new Set([path]);
    this.#linked.set(path, group);
    return group;
  }

  /**
   * What had a name got another that is none of a manifest: it may come back by `untilMs`,
   * under any name that it is linked to.
   */
  noteAside(
    path: string,
    { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
  ): void {
    this.#asideMs.delete(path);
    this.#asideMs.set(path, untilMs);
    this.#lastAsideMs = untilMs;
    this.asideMs(nowMs);
  }

  /** When the last that was moved aside is not waited for any more. */
  asideMs(nowMs: number): number {
    for (const [path, asideMs] of this.#asideMs) {
      if (asideMs > nowMs) return this.#lastAsideMs;
      this.#asideMs.delete(path);
    }
    return -Infinity;
  }

  /**
   * Says of names whether what they had may be found elsewhere in a moment; of an unknown
   * one, whether anything may.
   *
   * @param isAwaited whether a name is to be looked at
   */
  mover(
    nowMs: number,
    isAwaited: (path: string) => boolean,
  ): (path: string | undefined) => boolean {
    const isAside = (path: string) =>
      (this.#asideMs.get(path) ?? nowMs) > nowMs;
    const known = new Map<ReadonlySet<string>, boolean>();
    const isAny = (names: Iterable<string>) =>
      Iterator.from(names).some((name) => isAside(name) || isAwaited(name));
    return (path) => {
      if (path === undefined) {
        return isAny(this.#linked.keys()) || isAny(this.#asideMs.keys());
      }
      const group = this.#linked.get(path);
      if (group === undefined) return isAside(path);
      const isMoving = known.get(group) ?? isAny(group);
      known.set(group, isMoving);
      return isMoving;
    };
  }

  /**
   * Forgets the links between names of which none is to be looked at, and of the others the
   * names of which nothing is known: what moves on without pause leaves any number of them.
   *
   * @param stateOf what is known of a name, and the look at it that is asked for
   */
  forgetQuiet(
    stateOf: (path: string) => { readonly look?: unknown } | undefined,
  ): void {
    for (const group of new Set(this.#linked.values())) {
      const isAwaited = group.values().some((path) => stateOf(path)?.look);
      for (const path of group) {
        const isOf = stateOf(path) !== undefined || this.#asideMs.has(path);
        if (isAwaited && isOf) continue;
        group.delete(path);
        this.#linked.delete(path);
      }
    }
  }

  /** By the last hint, what had a name moved `to` another, or to none that is known. */
  retarget(
    path: string,
    { before, to }: {
      readonly before: string | undefined;
      readonly to: string | undefined;
    },
  ): void {
    if (before === to) return;
    if (before !== undefined) {
      const sources = this.#sources.get(before);
      sources?.delete(path);
      if (sources?.size === 0) this.#sources.delete(before);
    }
    if (to === undefined) return;
    this.#sources.set(to, (this.#sources.get(to) ?? new Set()).add(path));
  }

  /** The names that moved to one, by the last hint about them. */
  sourcesOf(path: string): readonly string[] {
    return [...this.#sources.get(path) ?? []];
  }

  /** The manifests were put together: what is found elsewhere from now on has moved. */
  place(stamps: Iterable<readonly [path: string, stamp: FileStamp]>): void {
    const places = new Map<number, FilePlace>();
    for (const [path, stamp] of stamps) {
      places.set(stamp.inode, { path, stamp });
    }
    this.#places = places;
  }

  /** Whether a file that is found was elsewhere, and nobody wrote it since. */
  isMovedTo(path: string, stamp: FileStamp): boolean {
    const place = this.#places.get(stamp.inode);
    return place !== undefined && place.path !== path &&
      sameFile(place.stamp, stamp);
  }
}

interface FilePlace {
  readonly path: string;
  readonly stamp: FileStamp;
}
