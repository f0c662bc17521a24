/**
 * Which events are one and the same, which are too many, and which are too often.
 *
 * The rules and numbers are those of `EventCorrelator` in client-go's
 * tools/record/events_cache.go.
 *
 * @module
 */

import type { PodEvent, PodRef } from "../api/types/mod.ts";

/** How many pods and kinds of events are remembered; upstream's `maxLruCacheEntries`. */
const TABLE_ENTRIES = 4096;

/** From this many messages of one kind on they become one event. */
const SIMILAR_MESSAGES = 10;

/** What has been quiet for this long begins anew. */
const SIMILAR_PERIOD_MS = 600_000;

const COMBINED_PREFIX = "(combined from similar events): ";

/** How many events a pod may have at once. */
const BURST = 25;

/** How long it takes until it may have one more. */
const REFILL_MS = 300_000;

/** What is to be done with an event. */
export interface Correlated {
  /** Events of one key are one event with a count. */
  readonly key: string;
  /** The pod and type whose events are counted together against the rate limit. */
  readonly source: string;
  readonly message: string;
  /** Whether the rate limit lets it through. */
  readonly allowed: boolean;
}

/**
 * Judges one event after the other.
 *
 * Holds two tables of at most 4096 small entries each, whatever comes, and none that says
 * no more than a new one would after {@linkcode EventCorrelator.expire}.
 */
export class EventCorrelator {
  readonly #similar = new LruMap<string, Similar>(TABLE_ENTRIES);
  /** When each is full again, monotonic milliseconds. */
  readonly #buckets = new LruMap<string, number>(TABLE_ENTRIES);

  /** How many entries both tables hold together. */
  get size(): number {
    return this.#similar.size + this.#buckets.size;
  }

  /** Judges an event; `nowMs` is monotonic, so that no set clock opens or shuts anything. */
  correlate(pod: PodRef, event: PodEvent, nowMs: number): Correlated {
    const { namespace, name, uid } = pod;
    const source = JSON.stringify([namespace, name, uid, event.type]);
    // Reasons are the agent's own, so two kinds never look like one.
    const kind = `${source}${event.reason}`;
    const { similar, isCombined } = combine(
      this.#similar.get(kind),
      hashText(event.message),
      nowMs,
    );
    this.#similar.set(kind, similar);
    const { fullMs, isTaken } = takeToken(this.#buckets.get(source), nowMs);
    this.#buckets.set(source, fullMs);
    return {
      key: isCombined ? kind : keyOf(kind, event),
      source,
      message: isCombined
        ? `${COMBINED_PREFIX}${event.message}`
        : event.message,
      allowed: isTaken,
    };
  }

  /** Forgets what counts for nothing any more: it would begin anew. */
  expire(nowMs: number): void {
    this.#similar.drop(({ lastMs }) => nowMs - lastMs > SIMILAR_PERIOD_MS);
    this.#buckets.drop((fullMs) => fullMs <= nowMs);
  }
}

function keyOf(kind: string, { fieldPath, message }: PodEvent): string {
  // The hash instead of the message halves the memory of the history. Two messages of
  // one hash at the same container for the same reason would be shown as one.
  return `${kind} ${fieldPath} ${hashText(message)} ${message.length}`;
}

/** The messages that one reason had at one pod of late, as hashes. */
export interface Similar {
  /** At most nine. */
  readonly hashes: readonly number[];
  readonly lastMs: number;
}

/** Says whether one more message is one too many of its kind (EventAggregate). */
export function combine(
  known: Similar | undefined,
  hash: number,
  nowMs: number,
): { readonly similar: Similar; readonly isCombined: boolean } {
  const hashes =
    known !== undefined && nowMs - known.lastMs <= SIMILAR_PERIOD_MS
      ? known.hashes
      : [];
  const isNew = !hashes.includes(hash);
  const isCombined = isNew && hashes.length + 1 >= SIMILAR_MESSAGES;
  return {
    similar: {
      hashes: isNew && !isCombined ? [...hashes, hash] : hashes,
      lastMs: nowMs,
    },
    isCombined,
  };
}

/**
 * Takes one token if there is one (EventSourceObjectSpamFilter).
 *
 * @param fullMs When the bucket is full again; `undefined` for one never used.
 */
export function takeToken(
  fullMs: number | undefined,
  nowMs: number,
): { readonly fullMs: number; readonly isTaken: boolean } {
  // Kept as a point in time, so that no fractions of tokens add up to an error.
  const before = Math.max(fullMs ?? nowMs, nowMs);
  const after = before + REFILL_MS;
  const isTaken = after - nowMs <= BURST * REFILL_MS;
  return { fullMs: isTaken ? after : before, isTaken };
}

/** FNV-1a over UTF-16 units, 32 bits: fast, and enough to distinguish a pod's messages. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** A map of at most `capacity` entries, which forgets what was not used for longest. */
class LruMap<K, V> {
  readonly #capacity: number;
  /** The one used longest ago first. */
  readonly #entries = new Map<K, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** How many entries there are. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value of `key`; looking does not count as use. */
  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Forgets the entries whose value is over. */
  drop(isOver: (value: V) => boolean): void {
    for (const [key, value] of this.#entries) {
      if (isOver(value)) this.#entries.delete(key);
    }
  }

  /** Sets a value and makes it the latest one used. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
