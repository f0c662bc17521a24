/**
 * What became of the objects of one kind, for those who watch them.
 *
 * @module
 */

import { Bell } from "../base/mod.ts";
import type { AnyObject } from "./parts.ts";

/** One thing that happened to an object. */
export interface ObjectEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** As it is now; for one that is gone, as it was last, with the version of its end. */
  readonly object: AnyObject;
  /** As it was before. */
  readonly before?: AnyObject;
  readonly revision: number;
}

/** How much a {@linkcode WatchHistory} keeps. */
export interface WatchLimits {
  /** So many events are kept for those who watch later. */
  readonly kept: number;
  /** A reader that is more events behind than these is cut off. */
  readonly behind: number;
}

// As many as a reader that comes back after a pause may have missed; the objects in them
// cost memory. A step of a controller makes 500 pods at most, and a folder has some
// hundred documents: a reader that is further behind has stopped to read.
export const WATCH_LIMITS: WatchLimits = { kept: 256, behind: 4096 };

/** Where a reader of a history is. */
export interface WatchCursor {
  /** The number of the event that is next. */
  next: number;
  /** Events up to this version are none of its business. */
  readonly after: number;
}

/**
 * Keeps the newest events, and older ones as long as a reader has not read them, both
 * within limits. All readers read the same list, so one that waits costs nothing.
 */
export class WatchHistory {
  readonly #limits: WatchLimits;
  #events: ObjectEvent[] = [];
  /** The number of the first event that is kept. */
  #first = 0;
  /** The version of the last event that is not kept any more. */
  #floor: number;
  readonly #readers = new Set<WatchCursor>();
  /** Rings when there is something to read. */
  readonly bell: Bell = new Bell();
  /** How many events there are when the oldest are looked at again. */
  #trimAt: number;

  /** @param floor what happened up to this version is not known */
  constructor(floor: number, limits: WatchLimits = WATCH_LIMITS) {
    this.#floor = floor;
    this.#limits = limits;
    this.#trimAt = limits.kept + pauseOf(limits);
  }

  /** How many events are held. */
  get size(): number {
    return this.#events.length;
  }

  /** Adds what happened, and wakes all readers. */
  publish(event: ObjectEvent): void {
    this.#events.push(event);
    if (this.#events.length >= this.#trimAt) this.#trim();
    this.bell.ring();
  }

  /** Whether all that comes after a version is known. */
  reachesTo(version: number): boolean {
    return version >= this.#floor;
  }

  /**
   * A reader of all that comes after a version.
   *
   * @returns `undefined` when some of that is not known any more
   */
  open(after: number): WatchCursor | undefined {
    if (!this.reachesTo(after)) return undefined;
    const skipped = this.#events.findIndex(({ revision }) => revision > after);
    const next = this.#first +
      (skipped === -1 ? this.#events.length : skipped);
    const cursor: WatchCursor = { next, after };
    this.#readers.add(cursor);
    return cursor;
  }

  close(cursor: WatchCursor): void {
    this.#readers.delete(cursor);
  }

  /**
   * The next event for a reader.
   *
   * @returns `"none"` when it has read all, `"lost"` when it came too late for some
   */
  take(cursor: WatchCursor): ObjectEvent | "none" | "lost" {
    for (;;) {
      if (cursor.next < this.#first) return "lost";
      const event = this.#events[cursor.next - this.#first];
      if (event === undefined) return "none";
      cursor.next++;
      if (event.revision > cursor.after) return event;
    }
  }

  #trim(): void {
    const end = this.#first + this.#events.length;
    let from = end - this.#limits.kept;
    for (const { next } of this.#readers) from = Math.min(from, next);
    from = Math.max(from, end - this.#limits.behind, this.#first);
    const dropped = this.#events.slice(0, from - this.#first);
    this.#floor = dropped.at(-1)?.revision ?? this.#floor;
    this.#events = this.#events.slice(dropped.length);
    this.#first = from;
    this.#trimAt = this.#events.length + pauseOf(this.#limits);
    for (const cursor of this.#readers) {
      if (cursor.next < from) this.#readers.delete(cursor);
    }
  }
}

// Now and then is enough, and costs less.
function pauseOf({ kept }: WatchLimits): number {
  return Math.max(16, kept >> 2);
}
