/**
 * How long something waits before it is done again.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";

/** Says how long a key waits. */
export interface RateLimiter<K> {
  /** How long it waits now, in milliseconds; each question counts as one more failure. */
  when(key: K): number;
  /** It went well: what counted against the key is forgotten. */
  forget(key: K): void;
  /** How often the key has waited since it was forgotten. */
  retries(key: K): number;
}

/** How {@linkcode ItemLimiter} grows; upstream's defaults are 5 ms and 1000 s. */
export interface ItemLimits {
  /** @default 5 */
  readonly baseMs?: number;
  /** @default 1_000_000 */
  readonly maxMs?: number;
}

/** Each key by itself: twice as long at every failure. */
export class ItemLimiter<K> implements RateLimiter<K> {
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #failures = new Map<K, number>();

  constructor({ baseMs = 5, maxMs = 1_000_000 }: ItemLimits = {}) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  when(key: K): number {
    const failures = this.retries(key);
    this.#failures.set(key, failures + 1);
    return Math.min(this.#baseMs * 2 ** failures, this.#maxMs);
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }

  retries(key: K): number {
    return this.#failures.get(key) ?? 0;
  }
}

/** How many {@linkcode BucketLimiter} lets through; upstream's defaults are 10 and 100. */
export interface BucketLimits {
  /** @default 10 */
  readonly perSecond?: number;
  /** How many may go at once after a rest. @default 100 */
  readonly burst?: number;
}

/** All keys together: a bucket of tokens that is filled slowly. Tokens may be owed. */
export class BucketLimiter<K> implements RateLimiter<K> {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #tokenMs: number;
  readonly #burst: number;
  /** When the bucket is full again; monotonic, so that no fractions add up to an error. */
  #fullMs = 0;

  constructor(
    deps: { readonly clock: Pick<Clock, "monotonic"> },
    { perSecond = 10, burst = 100 }: BucketLimits = {},
  ) {
    this.#clock = deps.clock;
    this.#tokenMs = 1_000 / perSecond;
    this.#burst = burst;
  }

  when(_key: K): number {
    const nowMs = this.#clock.monotonic();
    this.#fullMs = Math.max(this.#fullMs, nowMs) + this.#tokenMs;
    return Math.max(0, this.#fullMs - nowMs - this.#burst * this.#tokenMs);
  }

  forget(_key: K): void {
    // The tokens of a key are spent, however it went.
  }

  retries(_key: K): number {
    return 0;
  }
}

/** The longest that any of several says. */
export class LongestLimiter<K> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[];

  constructor(limiters: readonly RateLimiter<K>[]) {
    this.#limiters = limiters;
  }

  when(key: K): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.when(key)));
  }

  forget(key: K): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  retries(key: K): number {
    return Math.max(
      0,
      ...this.#limiters.map((limiter) => limiter.retries(key)),
    );
  }
}

/** What controllers use: each key 5 ms to 1000 s, all together 10 a second after 100. */
export function controllerLimiter<K>(
  deps: { readonly clock: Pick<Clock, "monotonic"> },
): RateLimiter<K> {
  return new LongestLimiter<K>([new ItemLimiter(), new BucketLimiter(deps)]);
}
