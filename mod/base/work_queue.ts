/**
 * Keys that want to be looked at, each by one handler at a time.
 *
 * @module
 */

import { isAbort } from "./abort.ts";
import { Bell } from "./bell.ts";
import type { Clock } from "./clock.ts";
import { invariant } from "./invariant.ts";

/** Looks after one key; catches its own failures. */
export type WorkHandler<K> = (key: K, signal: AbortSignal) => Promise<void>;

interface Run<K> {
  readonly handler: WorkHandler<K>;
  readonly controller: AbortController;
  readonly tasks: Set<Promise<void>>;
  readonly finished: Promise<void>;
  readonly bell: Bell;
  failed: boolean;
  failure: unknown;
}

/**
 * Runs a handler for every key that asks for it.
 *
 * One key never runs twice at once; different keys run side by side, without a
 * limit. A key is marked, not queued: however often it is added before its run
 * begins, it runs once, and a key added while it runs runs again afterwards. So
 * each `add` is followed by a run that began after it, and the memory needed is
 * bounded by the number of keys.
 */
export class WorkQueue<K> implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #ready = new Set<K>();
  readonly #timers = new Map<K, Disposable>();
  readonly #running = new Set<K>();
  // Keys that asked again while they run; never any that do not run.
  readonly #again = new Set<K>();
  #run: Run<K> | undefined;
  #disposed = false;

  /** Makes an empty queue that schedules by `deps.clock`. */
  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Asks for a run as soon as possible, in place of a scheduled one. */
  add(key: K): void {
    this.#unschedule(key);
    this.#mark(key);
  }

  /**
   * Asks for a run in `delayMs`, in place of one that was scheduled before.
   *
   * A run that was already asked for with `add` still comes first.
   */
  schedule(key: K, delayMs: number): void {
    this.#unschedule(key);
    if (this.#disposed) return;
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(key);
      this.#mark(key);
    });
    this.#timers.set(key, timer);
  }

  /** Withdraws what was asked for a key; a run that has begun goes on. */
  forget(key: K): void {
    this.#unschedule(key);
    this.#ready.delete(key);
    this.#again.delete(key);
  }

  /**
   * Runs `handler` for each key until `signal` aborts, then awaits what still runs.
   *
   * Keys may be added before and after; they wait for the next `run`.
   *
   * @throws {unknown} What a handler threw, after the others were aborted and
   * have ended. An abort that a handler passes on is not a failure.
   * @throws {InvariantError} When the queue is being run already.
   */
  async run(handler: WorkHandler<K>, signal: AbortSignal): Promise<void> {
    invariant(this.#run === undefined, "A work queue is run once at a time");
    if (signal.aborted || this.#disposed) return;
    const finished = Promise.withResolvers<void>();
    const run: Run<K> = {
      handler,
      controller: new AbortController(),
      tasks: new Set(),
      finished: finished.promise,
      bell: new Bell(),
      failed: false,
      failure: undefined,
    };
    this.#run = run;
    const follow = (): void => run.controller.abort(signal.reason);
    signal.addEventListener("abort", follow, { once: true });
    try {
      await this.#dispatch(run);
      await Promise.all(run.tasks);
    } finally {
      signal.removeEventListener("abort", follow);
      this.#run = undefined;
      finished.resolve();
    }
    if (run.failed) throw run.failure;
  }

  /** Drops every key, aborts the run and waits until its handlers have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
    this.#ready.clear();
    this.#again.clear();
    this.#run?.controller.abort(
      new DOMException("The work queue was disposed", "AbortError"),
    );
    await this.#run?.finished;
  }

  async #dispatch(run: Run<K>): Promise<void> {
    const { signal } = run.controller;
    while (!signal.aborted) {
      // Made before looking, so that a key added meanwhile is not overlooked.
      const woken = run.bell.wait(signal);
      for (const key of this.#ready) {
        if (signal.aborted) return;
        this.#ready.delete(key);
        this.#start(key, run);
      }
      await woken;
    }
  }

  #start(key: K, run: Run<K>): void {
    this.#running.add(key);
    const task = this.#handle(key, run).then(() => {
      this.#running.delete(key);
      run.tasks.delete(task);
      if (this.#again.delete(key)) this.#mark(key);
    });
    run.tasks.add(task);
  }

  async #handle(key: K, run: Run<K>): Promise<void> {
    const { signal } = run.controller;
    try {
      await run.handler(key, signal);
    } catch (error) {
      if (run.failed || isAbort(error, signal)) return;
      run.failed = true;
      run.failure = error;
      run.controller.abort(error);
    }
  }

  #mark(key: K): void {
    if (this.#disposed) return;
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#ready.add(key);
    this.#run?.bell.ring();
  }

  #unschedule(key: K): void {
    this.#timers.get(key)?.[Symbol.dispose]();
    this.#timers.delete(key);
  }
}
