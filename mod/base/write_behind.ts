/**
 * Values that wait in memory until they are written.
 *
 * @module
 */

import { isAbort } from "./abort.ts";
import { type BackoffOptions, nextDelay } from "./backoff.ts";
import { Bell } from "./bell.ts";
import type { Clock } from "./clock.ts";
import { Semaphore } from "./semaphore.ts";

/** Where a {@linkcode WriteBehind} writes to. */
export interface WriteTarget<Value> {
  /**
   * Writes the newest value of a key.
   *
   * @param signal aborts when the stop cannot wait any longer
   * @throws {unknown} when it has to be tried again
   */
  write(key: string, value: Value, signal: AbortSignal): Promise<void>;
  /** A write failed, the first after all went well. */
  failing(error: unknown, key: string): void;
  /** Nothing fails any more. */
  recovered(): void;
}

/** When a {@linkcode WriteBehind} writes. */
export interface WriteBehindOptions {
  /** Between tries of what failed; by default from one second to a minute, doubling. */
  readonly retry?: BackoffOptions;
  /** How long the first of several changes waits for the others; by default not at all. */
  readonly gatherMs?: number;
  /** How many keys are written beside each other; by default one. */
  readonly atOnce?: number;
  /**
   * Whether, of all that failed, one is tried at the end of a back-off, each in its turn:
   * when it gets through the others follow. For a target that fails for all or for none.
   *
   * @default false
   */
  readonly probes?: boolean;
}

/**
 * A value that was not written yet:
 *
 * ```
 *   fresh ── fails ──▶ failed ── back-off over ──▶ retried ── fails ──▶ failed
 * ```
 */
interface UnwrittenValue<Value> {
  readonly value: Value;
  state: "fresh" | "failed" | "retried";
  /** Whether it does not wait for others (any longer). */
  isUrgent: boolean;
}

/**
 * Writes the newest value of each key, one write a key at a time.
 *
 * A value that cannot be written holds up no other: it waits for the end of a back-off,
 * which a newer value of its key does not. The target is informed once that writes fail,
 * and once that they succeed again.
 *
 * @example Two values of a key, of which the newer is written
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { systemClock } from "./clock.ts";
 * import { WriteBehind } from "./write_behind.ts";
 *
 * const written: [string, number][] = [];
 * const writes = new WriteBehind<number>({
 *   write: async (key, value) => void written.push([key, value]),
 *   failing: () => {},
 *   recovered: () => {},
 * }, systemClock);
 * writes.put("a", 1);
 * writes.put("a", 2);
 * await writes.flush("a");
 * deepStrictEqual(written, [["a", 2]]);
 * ```
 */
export class WriteBehind<Value> {
  readonly #target: WriteTarget<Value>;
  readonly #clock: Clock;
  readonly #retry: BackoffOptions;
  readonly #gatherMs: number;
  readonly #atOnce: number;
  readonly #probes: boolean;
  readonly #permits: Semaphore;
  readonly #pending = new Map<string, UnwrittenValue<Value>>();
  /** What is being written; none of it rejects. */
  readonly #writing = new Map<string, Promise<void>>();
  /** The keys whose last write failed. */
  readonly #failing = new Set<string>();
  readonly #bell = new Bell();
  /** Of the writes; aborts at the end of `run`. */
  #scope = new AbortController();
  /** When what is not urgent and waits for no back-off is due. */
  #dueMs = Infinity;
  /** Ends when what failed is tried again: never, before any of it has failed again. */
  #backoff: { readonly delayMs: number; readonly endMs: number } | undefined;

  constructor(
    target: WriteTarget<Value>,
    clock: Clock,
    options: WriteBehindOptions = {},
  ) {
    const { retry = RETRY, gatherMs = 0, atOnce = 1, probes = false } = options;
    this.#target = target;
    this.#clock = clock;
    this.#retry = retry;
    this.#gatherMs = gatherMs;
    this.#atOnce = atOnce;
    this.#probes = probes;
    this.#permits = new Semaphore(atOnce);
  }

  /** The value of a key that is still to be written; `undefined` when there is none. */
  get(key: string): Value | undefined {
    return this.#pending.get(key)?.value;
  }

  /** All values that are still to be written. */
  *values(): Generator<Value, void, undefined> {
    for (const { value } of this.#pending.values()) yield value;
  }

  /**
   * Has a value written soon, in place of one that waits.
   *
   * @param options.urgent whether it is written without waiting for other changes
   */
  put(
    key: string,
    value: Value,
    options: { readonly urgent?: boolean } = {},
  ): void {
    const isUrgent = options.urgent === true ||
      this.#pending.get(key)?.isUrgent === true;
    this.#pending.set(key, { value, state: "fresh", isUrgent });
    const dueMs = this.#clock.monotonic() + this.#gatherMs;
    if (!isUrgent) this.#dueMs = Math.min(this.#dueMs, dueMs);
    this.#bell.ring();
  }

  /** Has what waits for a key written without waiting for others. */
  hasten(key: string): void {
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    pending.isUrgent = true;
    this.#bell.ring();
  }

  /** Withdraws what waits for a key; a write under way goes on. */
  drop(key: string): void {
    this.#pending.delete(key);
    this.#settle(key);
    if (!this.#probes || this.#backoff?.endMs !== Infinity) return;
    // It may have been the one that was to be tried for the others.
    this.#retryFailed(1);
    this.#bell.ring();
  }

  /** Writes now what waits for a key. Never rejects: what fails is tried again by `run`. */
  async flush(key: string): Promise<void> {
    await this.#writing.get(key);
    if (this.#pending.has(key)) await this.#write(key);
  }

  /**
   * Writes until `signal` aborts, and then for a moment what was asked for last, unless
   * writes fail.
   */
  async run(signal: AbortSignal): Promise<void> {
    const clock = this.#clock;
    const scope = new AbortController();
    this.#scope = scope;
    while (!signal.aborted) {
      this.#startDue();
      const dueMs = this.#isFull ? Infinity : this.#dueMs;
      const untilMs = Math.min(dueMs, this.#backoff?.endMs ?? Infinity);
      await this.#bell.wait(signal, { clock, untilMs });
    }
    const endMs = clock.monotonic() + LAST_WRITES_MS;
    while (this.#failing.size === 0 && clock.monotonic() < endMs) {
      this.#dueMs = clock.monotonic();
      this.#startDue();
      if (this.#writing.size === 0) break;
      await this.#bell.wait(NEVER, { clock, untilMs: endMs });
    }
    scope.abort(signal.reason);
    await Promise.all(this.#writing.values());
  }

  get #isFull(): boolean {
    return this.#writing.size >= this.#atOnce;
  }

  /** Begins to write what is due, as much of it as may be written at once. */
  #startDue(): void {
    const nowMs = this.#clock.monotonic();
    if (this.#backoff !== undefined && nowMs >= this.#backoff.endMs) {
      const delayMs = nextDelay(this.#backoff.delayMs, this.#retry);
      this.#backoff = { delayMs, endMs: Infinity };
      this.#retryFailed(this.#probes ? 1 : Infinity);
    }
    if (nowMs >= this.#dueMs) {
      this.#dueMs = Infinity;
      for (const pending of this.#pending.values()) {
        if (pending.state !== "failed") pending.isUrgent = true;
      }
    }
    for (const [key, { state, isUrgent }] of this.#pending) {
      if (this.#isFull) return;
      if (state !== "failed" && isUrgent) void this.#write(key);
    }
  }

  /** Has some of what failed written now, those first that were tried longest ago. */
  #retryFailed(most: number): void {
    let left = most;
    for (const pending of this.#pending.values()) {
      if (left <= 0) break;
      if (pending.state !== "failed") continue;
      pending.state = "retried";
      left--;
    }
    this.#dueMs = this.#clock.monotonic();
  }

  /** Never rejects. */
  #write(key: string): Promise<void> {
    const known = this.#writing.get(key);
    if (known !== undefined) return known;
    const writing = this.#tryWrite(key).finally(() => {
      this.#writing.delete(key);
      this.#bell.ring();
    });
    this.#writing.set(key, writing);
    return writing;
  }

  async #tryWrite(key: string): Promise<void> {
    using _permit = await this.#permits.acquire();
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    // What comes meanwhile waits anew, behind the others.
    pending.isUrgent = false;
    const { signal } = this.#scope;
    try {
      await this.#target.write(key, pending.value, signal);
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
      const isBack = this.#probes && this.#failing.has(key) &&
        // Others that are tried with it say so themselves.
        (this.#backoff?.endMs === Infinity || pending.state === "fresh");
      this.#settle(key);
      if (isBack) this.#retryFailed(Infinity);
    } catch (error) {
      if (isAbort(error, signal)) return;
      // What was withdrawn meanwhile need not be written.
      if (this.#pending.has(key)) this.#fail(key, pending, error);
    } finally {
      const newer = this.#pending.get(key);
      if (newer !== undefined && newer !== pending) {
        this.#pending.delete(key);
        this.#pending.set(key, newer);
      }
    }
  }

  #fail(key: string, pending: UnwrittenValue<Value>, error: unknown): void {
    const { delayMs = nextDelay(undefined, this.#retry), endMs = Infinity } =
      this.#backoff ?? {};
    // A newer value that fails, too, does not put off those that wait.
    if (pending.state === "retried" || endMs === Infinity) {
      this.#backoff = { delayMs, endMs: this.#clock.monotonic() + delayMs };
    }
    pending.state = "failed";
    if (this.#probes && this.#pending.get(key) === pending) {
      // Behind the others, which have their turn before it.
      this.#pending.delete(key);
      this.#pending.set(key, pending);
    }
    const isFirst = this.#failing.size === 0;
    this.#failing.add(key);
    if (isFirst) this.#target.failing(error, key);
  }

  #settle(key: string): void {
    if (!this.#failing.delete(key) || this.#failing.size > 0) return;
    this.#backoff = undefined;
    this.#target.recovered();
  }
}

// Soon, for a disk that was full for a moment; rarely, for one that will never be
// well, since each try says nothing new.
const RETRY = { baseMs: 1000, maxMs: 60_000 };

// A sick disk must not hold up the end.
const LAST_WRITES_MS = 1000;

const NEVER = new AbortController().signal;
