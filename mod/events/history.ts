/**
 * The newest events, in the order in which they were recorded.
 *
 * @module
 */

import type { PodEvent, PodRef } from "../api/types/mod.ts";
import { Topic } from "../base/mod.ts";

/** One event of the history; the same event seen again raises `count` instead of adding one. */
export interface RecordedEvent extends PodEvent {
  readonly pod: PodRef;
  /** Milliseconds since the epoch, by the wall clock as it goes when the event is given out. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
  /** Its place in the order: of two events the one recorded later has the higher number. */
  readonly sequence: number;
  /** The number that it had when it was recorded first, which no other event has. */
  readonly id: number;
  /** What the wall clock was then; unlike `firstMs` it stays as it is. */
  readonly bornMs: number;
}

/** An event with what only its recorder needs to know. */
export interface TracedEvent extends RecordedEvent {
  readonly trace: {
    /** What distinguishes the event from others, whatever key it is kept under. */
    readonly identity: string;
    /** When it happened first, and last; monotonic, as all times here. */
    readonly firstMs: number;
    readonly lastMs: number;
    readonly loggedMs: number;
    /** How many log lines were left out since. */
    readonly unsaid: number;
  };
}

/** An event that has no place in the order yet. */
export type UnnumberedEvent = Omit<TracedEvent, "sequence" | "id">;

/** What a watcher gets. */
export type EventChange<E extends RecordedEvent = RecordedEvent> =
  | { readonly kind: "added"; readonly event: E }
  /** One that the watcher has seen happened again. */
  | { readonly kind: "modified"; readonly event: E }
  /** Something was forgotten before the watcher had read it; the watch is over. */
  | { readonly kind: "lost" };

/** How much is kept. */
export interface HistoryLimits {
  readonly events: number;
  /** Of texts, about. */
  readonly bytes: number;
}

/**
 * Keeps events by key up to a number and a size, the oldest of which go first.
 *
 * Numbers begin at `start`, so that those of another run of the agent differ if `start` is
 * the wall clock. Watchers queue nothing: each reads on from the last number that it has
 * seen. A slow one holds at most what was kept when it last looked, and may lose what came
 * after.
 */
export class EventHistory {
  readonly #limits: HistoryLimits;
  /** In the order of their numbers. */
  readonly #events = new Map<string, TracedEvent>();
  #bytes = 0;
  #latest: number;
  /** The number of the newest event that was forgotten. */
  #forgotten: number;
  readonly #moves = new Topic<number>();

  constructor(limits: HistoryLimits, start: number) {
    this.#limits = limits;
    this.#latest = start;
    this.#forgotten = start;
    this.#moves.publish(start);
  }

  /** The number of the newest event. */
  get latest(): number {
    return this.#latest;
  }

  /** About how much memory the texts take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The event of a key. */
  get(key: string): TracedEvent | undefined {
    return this.#events.get(key);
  }

  /** All events, the oldest number first. */
  list(): readonly TracedEvent[] {
    return [...this.#events.values()];
  }

  /** Adds an event: it is the newest from now on, in place of the one of its key. */
  add(
    key: string,
    event: UnnumberedEvent,
    id?: number,
  ): void {
    const sequence = ++this.#latest;
    this.forget(key);
    this.#events.set(key, { ...event, sequence, id: id ?? sequence });
    this.#bytes += sizeOf(key, event);
    this.#trim();
    this.#moves.publish(sequence);
  }

  /** Corrects what is known of an event without waking a watcher. */
  amend(key: string, event: UnnumberedEvent): void {
    const known = this.#events.get(key);
    if (known === undefined) return;
    const { sequence, id } = known;
    this.#bytes += sizeOf(key, event) - sizeOf(key, known);
    this.#events.set(key, { ...event, sequence, id });
  }

  /** Forgets the event of a key, without waking a watcher. */
  forget(key: string): void {
    const known = this.#events.get(key);
    if (known === undefined) return;
    this.#events.delete(key);
    this.#bytes -= sizeOf(key, known);
  }

  /**
   * Yields what was recorded after number `after`, and goes on until `signal` aborts.
   *
   * @param after All that is kept when absent.
   */
  async *watch(
    signal: AbortSignal,
    after: number | undefined,
  ): AsyncGenerator<EventChange<TracedEvent>, void, undefined> {
    let seen = after ?? this.#forgotten;
    for await (const _ of this.#moves.subscribe(signal)) {
      // A number from the future is one of another run of the agent.
      if (seen < this.#forgotten || seen > this.#latest) {
        yield { kind: "lost" };
        return;
      }
      const base = seen;
      for (const event of this.#since(base)) {
        seen = event.sequence;
        // What was born after the last round has not been shown in any form.
        yield { kind: event.id > base ? "added" : "modified", event };
        if (signal.aborted) return;
      }
    }
  }

  #since(sequence: number): readonly TracedEvent[] {
    const found: TracedEvent[] = [];
    // Without a copy of all: every watcher looks after every event.
    for (const event of this.#events.values()) {
      if (event.sequence > sequence) found.push(event);
    }
    return found;
  }

  #trim(): void {
    for (const [key, event] of this.#events) {
      if (
        this.#events.size <= this.#limits.events &&
        this.#bytes <= this.#limits.bytes
      ) return;
      this.forget(key);
      this.#forgotten = event.sequence;
    }
  }
}

/** What an object with its number fields takes beside its texts. */
const OVERHEAD_BYTES = 300;

function sizeOf(key: string, event: UnnumberedEvent): number {
  const { pod, reason, message, fieldPath = "" } = event;
  const characters = key.length + reason.length + message.length +
    fieldPath.length + pod.name.length + pod.namespace.length + pod.uid.length;
  // A string takes two bytes a character as soon as one of them needs it.
  return OVERHEAD_BYTES + 2 * characters;
}
