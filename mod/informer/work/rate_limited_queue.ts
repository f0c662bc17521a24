/**
 * Keys that controllers work on.
 *
 * @module
 */

import {
  Bell,
  type Clock,
  invariant,
  isAbort,
  TaskGroup,
} from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import { controllerLimiter, type RateLimiter } from "./rate_limiters.ts";
import { WorkMeters } from "./work_meters.ts";

/**
 * Works on one key. What it throws is logged and asks for another try, as does `"again"`,
 * of which nothing is said. After `"pending"` it is neither tried again nor has it gone
 * well.
 */
export type KeyHandler<K> = (
  key: K,
  signal: AbortSignal,
) => Promise<void | "again" | "pending">;

/** What a queue works with. */
export interface RateLimitedQueueDeps<K> {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** @default {@linkcode controllerLimiter} */
  readonly limiter?: RateLimiter<K>;
}

/** What a queue is. */
export interface RateLimitedQueueOptions {
  /** What it is called in the log and in metrics. */
  readonly name: string;
  /** How many keys are worked on at once; upstream's controllers have 5. @default 5 */
  readonly workers?: number;
}

/**
 * Upstream's rate limiting work queue, with its workers.
 *
 * A key is in it once, however often it is added, and no key is worked on twice at once: one
 * that is added meanwhile is worked on again afterwards, so each `add` is followed by a
 * run that began after it. Keys are worked on in the order in which they were added first.
 * A key that did not go well comes again, later each time, until it does once. The memory that it needs is bounded by the number of keys.
 */
export class RateLimitedQueue<K> {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limiter: RateLimiter<K>;
  readonly #options: RateLimitedQueueOptions;
  readonly #meters: WorkMeters<K>;
  /** What wants to be worked on, in order; never what is being worked on. */
  readonly #ready = new Set<K>();
  readonly #running = new Set<K>();
  /** What has been added while it is being worked on. */
  readonly #again = new Set<K>();
  readonly #delayed = new Map<K, DelayedKey>();
  readonly #bell = new Bell();
  #isFinishing = false;
  #isRun = false;

  constructor(
    deps: RateLimitedQueueDeps<K>,
    options: RateLimitedQueueOptions,
  ) {
    this.#clock = deps.clock;
    this.#log = deps.log.named("work");
    this.#limiter = deps.limiter ?? controllerLimiter(deps);
    this.#options = options;
    this.#meters = new WorkMeters(deps, options.name);
  }

  /** How many keys wait to be worked on now. */
  get size(): number {
    return this.#ready.size + this.#again.size;
  }

  /** Asks for a key to be worked on. */
  add(key: K): void {
    if (this.#isFinishing || this.#ready.has(key) || this.#again.has(key)) {
      return;
    }
    this.#meters.added(key, this.size + 1);
    if (this.#running.has(key)) this.#again.add(key);
    else {
      this.#ready.add(key);
      this.#bell.ring();
    }
  }

  /** Adds a key in `delayMs`; of several delays of one key the first to end counts. */
  addAfter(key: K, delayMs: number): void {
    if (this.#isFinishing) return;
    if (!(delayMs > 0)) return this.add(key);
    const dueMs = this.#clock.monotonic() + delayMs;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.dueMs <= dueMs) return;
    known?.timer[Symbol.dispose]();
    const timer = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { dueMs, timer });
  }

  /** Takes back what was to add a key later: whoever works on it now says anew when. */
  dropDelay(key: K): void {
    this.#delayed.get(key)?.timer[Symbol.dispose]();
    this.#delayed.delete(key);
  }

  /** Adds a key when its rate limiter lets it through. */
  addRateLimited(key: K): void {
    if (this.#isFinishing) return;
    this.#meters.retried();
    this.addAfter(key, this.#limiter.when(key));
  }

  /** The key has nothing to answer for any more. It does not leave the queue. */
  forget(key: K): void {
    this.#limiter.forget(key);
  }

  /** How often a key has failed since it went well. */
  retries(key: K): number {
    return this.#limiter.retries(key);
  }

  /**
   * Takes nothing more; what is in the queue is still worked on, and then
   * {@linkcode RateLimitedQueue.run} returns. What waits for its time is dropped.
   */
  finish(): void {
    this.#isFinishing = true;
    this.#dropDelayed();
    this.#bell.ring();
  }

  /**
   * Works on the keys until `signal` aborts or the queue is finished.
   *
   * @throws {InvariantError} When it has been run before.
   */
  async run(handler: KeyHandler<K>, signal: AbortSignal): Promise<void> {
    invariant(!this.#isRun, "A queue of keys runs once");
    this.#isRun = true;
    const tasks = new TaskGroup(signal);
    const { workers = 5 } = this.#options;
    while (!tasks.signal.aborted) {
      // Made before looking, so that nothing is overlooked.
      const woken = this.#bell.wait(tasks.signal);
      for (const key of this.#ready) {
        if (this.#running.size >= workers) break;
        this.#ready.delete(key);
        this.#running.add(key);
        void tasks.start((signal) => this.#work(key, handler, signal));
      }
      const isDone = this.#ready.size + this.#running.size === 0;
      if (this.#isFinishing && isDone) this.#bell.ring();
      await woken;
      if (this.#isFinishing && isDone) break;
    }
    this.#isFinishing = true;
    this.#dropDelayed();
    await tasks[Symbol.asyncDispose]();
    this.#meters.end();
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  async #work(
    key: K,
    handler: KeyHandler<K>,
    signal: AbortSignal,
  ): Promise<void> {
    this.#meters.begun(key, this.size);
    try {
      const result = await handler(key, signal);
      if (result === "again") this.addRateLimited(key);
      else if (result === undefined) this.forget(key);
    } catch (error) {
      if (isAbort(error, signal)) return;
      const { name: queue } = this.#options;
      const retries = this.retries(key);
      this.#log.warn("key_failed", { queue, key: `${key}`, retries, error });
      this.addRateLimited(key);
    } finally {
      this.#running.delete(key);
      this.#meters.ended(key);
      if (this.#again.delete(key)) this.#ready.add(key);
      this.#bell.ring();
    }
  }

  #dropDelayed(): void {
    for (const { timer } of this.#delayed.values()) timer[Symbol.dispose]();
    this.#delayed.clear();
  }
}

interface DelayedKey {
  /** Monotonic. */
  readonly dueMs: number;
  readonly timer: Disposable;
}
