/**
 * One handler, and what it is still to be told.
 *
 * @module
 */

import { type Clock, isAbort, unlessAborted, Wake } from "../../base/mod.ts";
import type { Gauge, Logger } from "../../base/telemetry/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import { Turns } from "../work/mod.ts";
import type { HandlerRegistration, Notice, NoticeHandler } from "./notice.ts";

/** After a handler has thrown; upstream's processorListener. */
const FAILURE_PAUSE_MS = 1_000;

/** From here on a handler that falls behind is told of in the log, at every doubling. */
export const PENDING_LIMIT = 1_024;

/** Begins as upstream's ring does. */
const FIRST_SLOTS = 64;

/** What a listener works with. */
export interface ListenerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** How many notices wait, by handler. */
  readonly pending: Gauge;
}

/** What a listener is. */
export interface ListenerOptions {
  readonly name: string;
  readonly kind: string;
  /** `Infinity` is never. */
  readonly resyncMs: number;
}

/** Comes after all that was there at the beginning. */
const SYNCED = "synced";

/** Many objects of which the same is told. */
interface Batch<T> {
  readonly kind: "all_added" | "all_updated";
  readonly objects: readonly T[];
}

type Told<T extends ApiObject> = Notice<T> | Batch<T> | typeof SYNCED;

function isBatch<T extends ApiObject>(item: Told<T>): item is Batch<T> {
  return item !== SYNCED && "objects" in item;
}

/**
 * Tells one handler, in order, what an informer has to say.
 *
 * Between the informer and the handler lies a ring without a bound, so that a handler that
 * is slow delays neither the informer nor the other handlers. What waits there from 1024 on
 * is told, by the log at each doubling and by a metric.
 */
export class NoticeListener<T extends ApiObject>
  implements Omit<HandlerRegistration, typeof Symbol.dispose> {
  readonly #deps: ListenerDeps;
  readonly #options: ListenerOptions;
  readonly #handler: NoticeHandler<T>;
  readonly #ring = new Ring<Told<T>>(FIRST_SLOTS);
  /** What is being told one by one, and how far it is. */
  #batch: Batch<T> | undefined;
  #at = 0;
  #pending = 0;
  readonly #wake = new Wake();
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  /** Whether the handler is being waited for. */
  #isWaiting = false;
  #nextTold = PENDING_LIMIT;
  #resyncAtMs: number;

  constructor(
    deps: ListenerDeps,
    handler: NoticeHandler<T>,
    options: ListenerOptions,
  ) {
    this.#deps = deps;
    this.#handler = handler;
    this.#options = options;
    this.#resyncAtMs = deps.clock.monotonic() + options.resyncMs;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** How many notices wait. */
  get pending(): number {
    return this.#pending;
  }

  /** When it is told of everything again, monotonic; `Infinity` is never. */
  get resyncAtMs(): number {
    return this.#resyncAtMs;
  }

  synced(signal: AbortSignal): Promise<void> {
    return unlessAborted(this.#synced.promise, signal);
  }

  /** Hands a notice over; never waits. */
  tell(notice: Notice<T>): void {
    this.#push(notice, 1);
  }

  /**
   * Hands everything over that is there, which may be much: each notice is made when the
   * handler gets to it.
   */
  tellAll(kind: Batch<T>["kind"], objects: readonly T[]): void {
    if (objects.length > 0) this.#push({ kind, objects }, objects.length);
  }

  /** Says that all that was there at the beginning has been told. */
  tellSynced(): void {
    this.#push(SYNCED, 1);
  }

  /** Whether everything is to be told again; if so, the next time is a period later. */
  takeResync(nowMs: number): boolean {
    if (nowMs < this.#resyncAtMs) return false;
    this.#resyncAtMs = nowMs + this.#options.resyncMs;
    return true;
  }

  /** Calls the handler until `signal` aborts; what waits then is dropped. */
  run(signal: AbortSignal): Promise<void> {
    const turns = new Turns(this.#deps.clock, signal);
    return this.#wake.run(() => this.#drain(signal, turns), signal);
  }

  #push(item: Told<T>, notices: number): void {
    this.#ring.push(item);
    this.#pending += notices;
    if (this.#isWaiting) this.#watchLength();
    this.#wake.ring();
  }

  /** Calls the handler until nothing waits, or until it has to be waited for. */
  #drain(signal: AbortSignal, turns: Turns): void | Promise<void> {
    this.#isWaiting = false;
    for (;;) {
      if (signal.aborted) return;
      const item = this.#next();
      if (item === undefined) return this.#caughtUp();
      if (item === SYNCED) {
        this.#hasSynced = true;
        this.#synced.resolve();
        continue;
      }
      try {
        const handling = this.#handler(item);
        if (handling === undefined) {
          if (turns.isDue()) return turns.give();
          continue;
        }
        this.#wait();
        return this.#settle(handling, item, signal);
      } catch (error) {
        this.#wait();
        return this.#pause(error, item, signal);
      }
    }
  }

  #next(): Notice<T> | typeof SYNCED | undefined {
    if (this.#batch === undefined) {
      const item = this.#ring.shift();
      if (item === undefined) return undefined;
      if (!isBatch(item)) {
        this.#pending--;
        return item;
      }
      this.#batch = item;
    }
    const { kind, objects } = this.#batch;
    const object = objects[this.#at++];
    if (this.#at >= objects.length) {
      this.#batch = undefined;
      this.#at = 0;
    }
    this.#pending--;
    if (object === undefined) return this.#next();
    return kind === "all_added"
      ? { kind: "added", object, isInitial: true }
      : { kind: "updated", before: object, object };
  }

  /** Only now is it the handler that lets notices wait. */
  #wait(): void {
    this.#isWaiting = true;
    this.#watchLength();
  }

  async #settle(
    handling: Promise<void>,
    item: Notice<T>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await handling;
    } catch (error) {
      if (isAbort(error, signal)) return;
      await this.#pause(error, item, signal);
    }
  }

  async #pause(
    error: unknown,
    { kind: what, object: { metadata } }: Notice<T>,
    signal: AbortSignal,
  ): Promise<void> {
    const { kind, name: handler } = this.#options;
    const { namespace, name } = metadata;
    const fields = { kind, handler, what, namespace, name, error };
    this.#deps.log.error("handler_failed", fields);
    // Woken at once by an abort; the loop looks at the signal.
    await this.#deps.clock.sleep(FAILURE_PAUSE_MS, signal).catch(() => {});
  }

  #watchLength(): void {
    const pending = this.#pending;
    if (pending <= this.#nextTold) return;
    const { kind, name: handler } = this.#options;
    while (this.#nextTold < pending) this.#nextTold *= 2;
    this.#deps.pending.set(pending, { kind, handler });
    this.#deps.log.warn("handler_is_behind", { kind, handler, pending });
  }

  #caughtUp(): void {
    if (this.#nextTold === PENDING_LIMIT) return;
    const { kind, name: handler } = this.#options;
    this.#nextTold = PENDING_LIMIT;
    this.#deps.pending.set(0, { kind, handler });
    this.#deps.log.info("handler_has_caught_up", { kind, handler });
  }
}

/** A line in one array that grows when it is full, and begins anew when it was long. */
class Ring<T> {
  readonly #firstSlots: number;
  #slots: (T | undefined)[];
  #head = 0;
  #size = 0;

  /** @param slots a power of two */
  constructor(slots: number) {
    this.#firstSlots = slots;
    this.#slots = new Array(slots);
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    if (this.#size === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = item;
    this.#size++;
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size--;
    if (this.#size === 0 && this.#slots.length > this.#firstSlots) {
      this.#slots = new Array(this.#firstSlots);
      this.#head = 0;
    }
    return item;
  }

  #grow(): void {
    const slots: (T | undefined)[] = new Array(this.#slots.length * 2);
    for (let at = 0; at < this.#size; at++) {
      slots[at] = this.#slots[(this.#head + at) & (this.#slots.length - 1)];
    }
    this.#slots = slots;
    this.#head = 0;
  }
}
