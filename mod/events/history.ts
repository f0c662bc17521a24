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
    /** Whether the rate limit of its pod has never let it through. */
    readonly isHeldBack: boolean;
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

/** Who wants to know what becomes of a history. */
export interface HistoryListener {
  /** An event has a new number: it is new, or happened again. */
  moved(): void;
  /** An event was forgotten because of its age, or of too many others. */
  forgotten(event: TracedEvent): void;
}

/** How much is kept, and how long. */
export interface HistoryLimits {
  readonly events: number;
  /** Of texts, about. */
  readonly bytes: number;
  /** From when an event happened last, in milliseconds. */
  readonly ageMs: number;
}

/**
 * Keeps events by key up to a number, a size and an age, the oldest of which go first.
 *
 * No timer ends an event: those that are too old are not given out, and are forgotten by
 * {@linkcode expire}.
 *
 * Numbers begin at `start`, so that those of another run of the agent differ if `start` is
 * the wall clock. Watchers queue nothing: each reads on from the last number that it has
 * seen. A slow one holds at most what was kept when it last looked, and may lose what came
 * after.
 */
export class EventHistory {
  readonly #limits: HistoryLimits;
  readonly #events = new Map<string, TracedEvent>();
  /** The keys by the numbers of their events, in that order. */
  readonly #keys = new Map<number, string>();
  #bytes = 0;
  #latest: number;
  /** The number of the newest event that was forgotten. */
  #forgotten: number;
  readonly #moves = new Topic<number>();
  #listener: HistoryListener | undefined;

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

  /** The event of a key, unless it is too old at `nowMs`. */
  get(key: string, nowMs: number): TracedEvent | undefined {
    const event = this.#events.get(key);
    return event && this.#isTooOld(event, nowMs) ? undefined : event;
  }

  /** All events that are not too old at `nowMs`, the oldest number first. */
  list(nowMs: number): readonly TracedEvent[] {
    return [...this.#since(-Infinity)]
      .filter((event) => !this.#isTooOld(event, nowMs));
  }

  /** The event with the next higher number; those on the way that are too old are forgotten. */
  next(sequence: number, nowMs: number): TracedEvent | undefined {
    for (const event of this.#since(sequence)) {
      if (!this.#isTooOld(event, nowMs)) return event;
      this.#end(event);
    }
    return undefined;
  }

  /** Tells the one who listens; a later one takes its place. */
  listen(listener: HistoryListener): void {
    this.#listener = listener;
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
    this.#keys.set(sequence, key);
    this.#bytes += sizeOf(key, event);
    this.#trim();
    this.#moves.publish(sequence);
    this.#listener?.moved();
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
    this.#keys.delete(known.sequence);
    this.#bytes -= sizeOf(key, known);
  }

  /** Forgets what is too old at `nowMs`. */
  expire(nowMs: number): void {
    for (const event of this.#events.values()) {
      if (this.#isTooOld(event, nowMs)) this.#end(event);
    }
  }

  /**
   * Yields what was recorded after number `after`, and goes on until `signal` aborts.
   *
   * @param after All that is kept when absent.
   * @param now the monotonic clock
   */
  async *watch(
    signal: AbortSignal,
    { after, now }: { readonly after?: number; readonly now: () => number },
  ): AsyncGenerator<EventChange<TracedEvent>, void, undefined> {
    let seen = after;
    for await (const _ of this.#moves.subscribe(signal)) {
      // A number from the future is one of another run of the agent.
      const isLost = seen !== undefined &&
        (seen < this.#forgotten || seen > this.#latest);
      if (isLost) {
        yield { kind: "lost" };
        return;
      }
      const base = seen ?? -Infinity;
      const changes = [...this.#since(base)];
      seen ??= this.#forgotten;
      for (const event of changes) {
        seen = event.sequence;
        if (this.#isTooOld(event, now())) continue;
        // What was born after the last round has not been shown in any form.
        yield { kind: event.id > base ? "added" : "modified", event };
        if (signal.aborted) return;
      }
    }
  }

  /** The events with higher numbers; looks at no other as long as these are few. */
  *#since(sequence: number): Generator<TracedEvent, void, undefined> {
    const { latest } = this;
    if (latest - sequence > this.#keys.size) {
      for (const number of this.#keys.keys()) {
        const event = number > sequence ? this.#of(number) : undefined;
        if (event !== undefined) yield event;
      }
    } else {
      for (let number = sequence + 1; number <= latest; number++) {
        const event = this.#of(number);
        if (event !== undefined) yield event;
      }
    }
  }

  #of(sequence: number): TracedEvent | undefined {
    const key = this.#keys.get(sequence);
    return key === undefined ? undefined : this.#events.get(key);
  }

  #isTooOld({ trace }: TracedEvent, nowMs: number): boolean {
    return nowMs - trace.lastMs >= this.#limits.ageMs;
  }

  #trim(): void {
    const { events, bytes } = this.#limits;
    for (const key of this.#keys.values()) {
      if (this.#events.size <= events && this.#bytes <= bytes) return;
      const event = this.#events.get(key);
      if (event !== undefined) this.#end(event);
    }
  }

  #end(event: TracedEvent): void {
    const { sequence } = event;
    const key = this.#keys.get(sequence);
    if (key !== undefined) this.forget(key);
    this.#forgotten = Math.max(this.#forgotten, sequence);
    this.#listener?.forgotten(event);
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
