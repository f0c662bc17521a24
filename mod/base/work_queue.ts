/**
 * Keys that want to be looked at, each by one handler at a time.
 *
 * @module
 */

import { Bell } from "./bell.ts";
import type { Clock } from "./clock.ts";
import { invariant } from "./invariant.ts";
import { TaskGroup } from "./task_group.ts";

/** How many runs there may be beside each other that do not wait for anything. */
export interface WorkLimit {
  readonly places: number;
  /** A run that takes longer than this waits for something, and gives its place up. */
  readonly patienceMs: number;
}

/** Looks after one key; catches its own failures. */
export type WorkHandler<K> = (key: K, signal: AbortSignal) => Promise<void>;

/**
 * Runs a handler for every key that asks for it.
 *
 * One key never runs twice at once; different keys run side by side, without a limit
 * unless one is given: then the next begins, first come, first served, when a run has
 * ended or given its place up. A key is marked, not queued: however often it is added before its run
 * begins, it runs once, and a key added while it runs runs again afterwards. So
 * each `add` is followed by a run that began after it, and the memory needed is
 * bounded by the number of keys.
 */
export class WorkQueue<K> implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #ready = new Set<K>();
  readonly #timers = new Map<K, Disposable>();
  readonly #running = new Set<K>();
  readonly #limit: WorkLimit | undefined;
  /** The timers of the runs that have a place. */
  readonly #placed = new Map<K, Disposable>();
  // Keys that asked again while they run; never any that do not run.
  readonly #again = new Set<K>();
  /** The handlers that run; set while {@linkcode run} does. */
  #tasks: TaskGroup | undefined;
  readonly #bell = new Bell();
  #disposed = false;

  constructor(deps: { readonly clock: Clock }, limit?: WorkLimit) {
    this.#clock = deps.clock;
    this.#limit = limit;
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

  /** The run of a key waits for something: another may begin, and it goes on without a place. */
  yieldPlace(key: K): void {
    this.#placed.get(key)?.[Symbol.dispose]();
    if (this.#placed.delete(key) && this.#ready.size > 0) this.#bell.ring();
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
    invariant(this.#tasks === undefined, "A work queue is run once at a time");
    if (signal.aborted || this.#disposed) return;
    const tasks = new TaskGroup(signal);
    this.#tasks = tasks;
    while (!tasks.signal.aborted) {
      // Made before looking, so that a key added meanwhile is not overlooked.
      const woken = this.#bell.wait(tasks.signal);
      for (const key of this.#ready) {
        if (this.#isFull) break;
        this.#ready.delete(key);
        this.#start(key, handler, tasks);
        if (tasks.signal.aborted) break;
      }
      await woken;
    }
    await tasks[Symbol.asyncDispose]();
    this.#tasks = undefined;
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /** Drops every key, aborts the run and waits until its handlers have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
    this.#ready.clear();
    this.#again.clear();
    await this.#tasks?.[Symbol.asyncDispose]();
  }

  get #isFull(): boolean {
    return this.#limit !== undefined &&
      this.#placed.size >= this.#limit.places;
  }

  #start(key: K, handler: WorkHandler<K>, tasks: TaskGroup): void {
    this.#running.add(key);
    if (this.#limit !== undefined) {
      const { patienceMs } = this.#limit;
      const timer = this.#clock.after(patienceMs, () => this.yieldPlace(key));
      this.#placed.set(key, timer);
    }
    void tasks.start((signal) => handler(key, signal)).then(() => {
      this.#running.delete(key);
      this.yieldPlace(key);
      if (this.#again.delete(key)) this.#mark(key);
    });
  }

  #mark(key: K): void {
    if (this.#disposed) return;
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#ready.add(key);
    this.#bell.ring();
  }

  #unschedule(key: K): void {
    this.#timers.get(key)?.[Symbol.dispose]();
    this.#timers.delete(key);
  }
}
