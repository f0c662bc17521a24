/**
 * Runtime events about containers whose pod is not known yet.
 *
 * @module
 */

import type { ContainerEvent } from "../cri/events/mod.ts";

interface UnknownEvent {
  readonly event: ContainerEvent;
  readonly sinceMs: number;
  isAskedFor: boolean;
}

/** Longer than most starts take. */
const KEEP_MS = 10_000;

const CAPACITY = 500;

/** Keeps events until a look shows their pods; requests one list if no look does. */
export class UnknownEvents {
  readonly #events = new Map<string, UnknownEvent>();

  /** True when nothing is kept. */
  get isEmpty(): boolean {
    return this.#events.size === 0;
  }

  /** Keeps one event for each container; drops the oldest when there are too many. */
  add(event: ContainerEvent, nowMs: number): void {
    const { containerId, what } = event;
    // A removed container needs no look.
    if (what === "deleted" || what === "oom") return;
    const kept = this.#events.get(containerId);
    // Events may arrive out of order; the event of the end counts.
    if (kept === undefined || what === "stopped") {
      const { sinceMs, isAskedFor } = kept ??
        { sinceMs: nowMs, isAskedFor: false };
      this.#events.set(containerId, { event, sinceMs, isAskedFor });
    }
    const [oldest] = this.#events.keys();
    if (this.#events.size > CAPACITY && oldest !== undefined) {
      this.#events.delete(oldest);
    }
  }

  /** Hands out the events about these containers and sandboxes. */
  take(items: Iterable<{ readonly id: string }>): ContainerEvent[] {
    const taken: ContainerEvent[] = [];
    if (this.isEmpty) return taken;
    for (const { id } of items) {
      const kept = this.#events.get(id);
      if (kept !== undefined) taken.push(kept.event);
      this.#events.delete(id);
    }
    return taken;
  }

  /** Hands out the events of known pods, drops old ones, requests one list for the rest. */
  review(
    ownerOf: (containerId: string) => string | undefined,
    nowMs: number,
  ): {
    /** The events whose pods have become known, by UID. */
    readonly known: readonly (readonly [string, ContainerEvent])[];
    /** A list of all pods is needed to find the pods of the others. */
    readonly mustList: boolean;
  } {
    const known: [string, ContainerEvent][] = [];
    let mustList = false;
    for (const [id, kept] of this.#events) {
      const uid = ownerOf(id);
      if (uid !== undefined || kept.sinceMs + KEEP_MS <= nowMs) {
        this.#events.delete(id);
      }
      if (uid !== undefined) known.push([uid, kept.event]);
      else if (!kept.isAskedFor) mustList = kept.isAskedFor = true;
    }
    return { known, mustList };
  }

  /** Drops them all. */
  clear(): void {
    this.#events.clear();
  }
}
