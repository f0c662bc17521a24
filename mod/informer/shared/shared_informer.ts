/**
 * One kind of objects, read once and told to everybody.
 *
 * @module
 */

import {
  Bell,
  type Clock,
  invariant,
  nextDelay,
  type Random,
  TaskGroup,
  unlessAborted,
  Wake,
} from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import type { ListerWatcher } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { Reflector, type ReflectorOptions } from "../reflector/mod.ts";
import {
  type Delta,
  DeltaQueue,
  type Indexers,
  isSameLife,
  Lister,
  type ObjectDelta,
  ObjectIndex,
  type ObjectReader,
} from "../store/mod.ts";
import { Turns } from "../work/mod.ts";
import { freezeDeep } from "./freeze.ts";
import { isSameState, NextStore, noticesOf } from "./next_store.ts";
import type {
  HandlerOptions,
  HandlerRegistration,
  Notice,
  NoticeHandler,
} from "./notice.ts";
import { NoticeListener } from "./notice_listener.ts";

/** What informers work with. */
export interface InformerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /**
   * Whether objects are frozen as they come, so that whoever alters a shared one fails at
   * that place. For tests.
   *
   * @default false
   */
  readonly freezes?: boolean;
}

/** What an informer is. */
export interface InformerOptions<T extends ApiObject> extends ReflectorOptions {
  readonly indexers?: Indexers<T>;
  /** How often handlers that say nothing else are told of everything. @default 0, never */
  readonly resyncMs?: number;
}

/** Upstream's minimumResyncPeriod. */
const LEAST_RESYNC_MS = 1_000;

/** Between attempts to take in what an index has failed on. */
const RETRY = { baseMs: 1_000, maxMs: 60_000 };

/**
 * Reads objects of one kind once, however many use them, keeps them in a store, and tells
 * handlers what becomes of them.
 *
 * Each handler gets every notice in order, and no handler waits for another. What a handler
 * was told explains what the store holds: an object is added, updated any number of times
 * and removed, and one that was made anew under its name is removed first. A change is in
 * the store before anybody is told. Handlers and indexes may be added at any time.
 *
 * An object without a change is told to nobody but to those whose resync is due.
 */
export class SharedInformer<T extends ApiObject> {
  readonly lister: Lister<T>;
  readonly #deps: InformerDeps;
  readonly #options: InformerOptions<T>;
  readonly #log: Logger;
  readonly #objects: ObjectIndex<T>;
  readonly #wake = new Wake();
  readonly #queue = new DeltaQueue<T>(() => this.#wake.ring());
  readonly #reflector: Reflector<T>;
  readonly #listeners = new Map<NoticeListener<T>, AbortController>();
  /** Those who are told of everything at the next sync. */
  readonly #due = new Set<NoticeListener<T>>();
  /** What could not be taken in, and waits for another try. */
  readonly #failed = new Map<string, Disposable>();
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #tasks: TaskGroup | undefined;
  /** Rings when there is another handler that may be due. */
  readonly #bell = new Bell();

  constructor(
    deps: InformerDeps & { readonly source: ListerWatcher<T> },
    options: InformerOptions<T>,
  ) {
    this.#deps = deps;
    this.#options = options;
    this.#log = deps.log.named("informer");
    this.#objects = new ObjectIndex(options.indexers);
    this.lister = new Lister(this.#objects);
    this.#reflector = new Reflector({ ...deps, sink: this.#queue }, options);
  }

  /** What is there; what it gives is shared and must not be altered. */
  get store(): ObjectReader<T> {
    return this.#objects;
  }

  /** Whether the first list is in the store. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /**
   * Waits for {@linkcode SharedInformer.hasSynced}.
   *
   * @throws {unknown} The reason of `signal` when it aborts first.
   */
  synced(signal: AbortSignal): Promise<void> {
    return unlessAborted(this.#synced.promise, signal);
  }

  /** Adds indexes to the store; see {@linkcode ObjectIndex.addIndexers}. */
  addIndexers(indexers: Indexers<T>): void {
    this.#objects.addIndexers(indexers);
  }

  /**
   * Adds a handler. What is in the store already it is told first, as added.
   *
   * @throws {RangeError} When `resyncMs` is neither 0 nor at least a second.
   */
  addHandler(
    handler: NoticeHandler<T>,
    options: HandlerOptions,
  ): HandlerRegistration {
    const listener = this.#makeListener(handler, options);
    const controller = new AbortController();
    this.#listeners.set(listener, controller);
    listener.tellAll("all_added", this.#objects.list());
    if (this.#hasSynced) listener.tellSynced();
    this.#start(listener, controller.signal);
    this.#bell.ring();
    return {
      get hasSynced() {
        return listener.hasSynced;
      },
      synced: (signal) => listener.synced(signal),
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        this.#due.delete(listener);
        controller.abort();
      },
    };
  }

  /**
   * Reads and tells until `signal` aborts, and then until all handlers have come to an end.
   *
   * @throws {InvariantError} When it has been run before.
   */
  async run(signal: AbortSignal): Promise<void> {
    invariant(this.#tasks === undefined, "An informer runs once");
    const tasks = new TaskGroup(signal);
    this.#tasks = tasks;
    const running = [
      tasks.start((signal) => {
        const turns = new Turns(this.#deps.clock, signal);
        return this.#wake.run(() => this.#drain({ turns, signal }), signal);
      }),
      tasks.start((signal) => this.#reflector.run(signal)),
      tasks.start((signal) => this.#resync(signal)),
    ];
    for (const [listener, { signal }] of this.#listeners) {
      this.#start(listener, signal);
    }
    await Promise.all(running);
    await tasks[Symbol.asyncDispose]();
    this.#forgetFailures();
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  #makeListener(
    handler: NoticeHandler<T>,
    { name, resyncMs = this.#options.resyncMs ?? 0 }: HandlerOptions,
  ): NoticeListener<T> {
    if (resyncMs !== 0 && !(resyncMs >= LEAST_RESYNC_MS)) {
      throw new RangeError(
        `Cannot add the handler "${name}": it is to be told every ${resyncMs} ms, wanted: 0 or at least ${LEAST_RESYNC_MS}`,
      );
    }
    const { clock, metrics } = this.#deps;
    const pending = metrics.gauge(
      "skerry_informer_pending_notices",
      "Notices that wait for a handler that has fallen behind, at the last doubling",
      ["kind", "handler"],
    );
    return new NoticeListener({ clock, log: this.#log, pending }, handler, {
      name,
      kind: this.#options.kind,
      resyncMs: resyncMs === 0 ? Infinity : resyncMs,
    });
  }

  #start(listener: NoticeListener<T>, own: AbortSignal): void {
    void this.#tasks?.start((signal) =>
      listener.run(AbortSignal.any([signal, own]))
    );
  }

  /** Sees to it that those who are due are told of everything. */
  async #resync(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    while (!signal.aborted) {
      const nowMs = clock.monotonic();
      let untilMs = Infinity;
      for (const listener of this.#listeners.keys()) {
        if (listener.takeResync(nowMs)) this.#due.add(listener);
        untilMs = Math.min(untilMs, listener.resyncAtMs);
      }
      if (this.#due.size > 0) this.#queue.sync();
      await this.#bell.wait(signal, { clock, untilMs });
    }
  }

  /** Waits between deltas only: nothing happens between the store and the handlers. */
  #drain(pace: Pace): void | Promise<void> {
    for (;;) {
      const delta = this.#queue.take();
      if (delta === undefined) return;
      if (delta.kind === "replaced") return this.#replace(delta, pace);
      this.#process(delta);
      if (pace.turns.isDue()) return pace.turns.give();
    }
  }

  #process(delta: Exclude<Delta<T>, { readonly kind: "replaced" }>): void {
    switch (delta.kind) {
      case "put":
      case "removed":
        this.#forgetFailure(delta.key);
        this.#attempt(delta);
        this.#seen(delta.object.metadata.resourceVersion);
        break;
      case "sync":
        this.#sync();
        break;
      case "bookmark":
        this.#seen(delta.version);
        break;
      default:
        delta satisfies never;
    }
  }

  #seen(version: string | undefined): void {
    if (version !== undefined) this.#objects.bookmark(version);
  }

  /**
   * Takes a list in, as one step for whoever reads the store: what it will hold is made
   * beside it, which takes a while and gives way to others.
   */
  async #replace(delta: ReplacedDelta<T>, pace: Pace): Promise<void> {
    const { objects, facts: { version, isWhole } } = delta;
    const { turns, signal } = pace;
    this.#forgetFailures();
    const next = new NextStore(this.#objects, {
      isInitial: !this.#hasSynced,
      freezes: this.#deps.freezes === true,
    });
    for (const _piece of next.fill(objects, isWhole)) {
      if (turns.isDue()) await turns.give();
      if (signal.aborted) return;
    }
    // An index was added meanwhile.
    if (!this.#objects.become(next.store)) return this.#replace(delta, pace);
    this.#objects.bookmark(version);
    // Who comes from here on finds all of it in the store.
    const listeners = [...this.#listeners.keys()];
    for (const notice of next.notices) {
      for (const listener of listeners) listener.tell(notice);
      if (turns.isDue()) await turns.give();
    }
    for (const delta of next.failed) this.#attempt(delta);
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    this.#synced.resolve();
    for (const listener of this.#listeners.keys()) listener.tellSynced();
  }

  #sync(): void {
    const objects = this.#objects.list();
    for (const listener of this.#due) listener.tellAll("all_updated", objects);
    this.#due.clear();
  }

  /** What an index cannot take stays out, and is tried again unless there is news of it. */
  #attempt(delta: ObjectDelta<T>, lastMs?: number): void {
    try {
      if (delta.kind === "put") this.#put(delta);
      else this.#remove(delta);
    } catch (error) {
      const { clock } = this.#deps;
      const { key } = delta;
      const { kind } = this.#options;
      const retryMs = nextDelay(lastMs, RETRY);
      this.#log.error("object_not_taken_in", { kind, key, retryMs, error });
      const timer = clock.after(retryMs, () => {
        this.#failed.delete(key);
        this.#attempt(delta, retryMs);
      });
      this.#failed.set(key, timer);
    }
  }

  #put({ key, object }: ObjectDelta<T>): void {
    const before = this.#objects.get(key);
    // What was told stays, so that nobody takes the same for something new.
    if (before !== undefined && isSameState(before, object)) return;
    if (this.#deps.freezes === true) freezeDeep(object);
    this.#objects.exchange(key, object, before);
    for (const notice of noticesOf(before, object, !this.#hasSynced)) {
      this.#tell(notice);
    }
  }

  #remove({ key, object }: ObjectDelta<T>): void {
    const before = this.#objects.exchange(key, undefined);
    // It came and went while nobody looked.
    if (before === undefined) return;
    if (this.#deps.freezes === true) freezeDeep(object);
    const isStale = !isSameLife(before, object);
    this.#tell({ kind: "removed", object: isStale ? before : object, isStale });
  }

  #tell(notice: Notice<T>): void {
    for (const listener of this.#listeners.keys()) listener.tell(notice);
  }

  #forgetFailure(key: string): void {
    if (this.#failed.size === 0) return;
    this.#failed.get(key)?.[Symbol.dispose]();
    this.#failed.delete(key);
  }

  #forgetFailures(): void {
    for (const timer of this.#failed.values()) timer[Symbol.dispose]();
    this.#failed.clear();
  }
}

/** With what pauses it is worked on. */
interface Pace {
  readonly turns: Turns;
  readonly signal: AbortSignal;
}

type ReplacedDelta<T extends ApiObject> = Extract<
  Delta<T>,
  { readonly kind: "replaced" }
>;
