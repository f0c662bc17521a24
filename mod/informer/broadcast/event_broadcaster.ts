/**
 * Telling several what happens to objects.
 *
 * @module
 */

import {
  type Clock,
  isAbort,
  type Random,
  TaskGroup,
  Wake,
} from "../../base/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import { ApiFailure, type FailureReason } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";

/** What is said of an object. */
export interface EventWords {
  readonly type: "Normal" | "Warning";
  /** One word in CamelCase: `SuccessfulCreate`. */
  readonly reason: string;
  readonly message: string;
}

/** What has happened to an object. */
export interface BroadcastEvent extends EventWords {
  /** As it was known then; shared, so it must not be altered. */
  readonly object: ApiObject;
  /** Who says it: `replicaset-controller`. */
  readonly component: string;
  /** Wall clock, in milliseconds since the epoch. */
  readonly atMs: number;
}

/**
 * Takes events one after the other. What it throws is tried again, unless a server has
 * refused the event.
 */
export type BroadcastSink = (
  event: BroadcastEvent,
  signal: AbortSignal,
) => void | Promise<void>;

/** Says what happens, in the name of one component. */
export interface BroadcastRecorder {
  /** Never waits and never fails. */
  record(object: ApiObject, words: EventWords): void;
}

/** What a broadcaster works with. */
export interface BroadcasterDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/** Upstream's maxQueuedEvents. */
const QUEUE_LIMIT = 1_000;

/** Upstream's maxTriesPerEvent, and its pause between them. */
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

/** What the API takes of a message. */
const MESSAGE_LIMIT = 1_024;

/** Refusals that may not be so the next time. */
const PASSING: readonly FailureReason[] = [
  "Unreachable",
  "Timeout",
  "ServiceUnavailable",
  "TooManyRequests",
];

/**
 * Hands what components say to every sink, in order.
 *
 * Each sink has a line of its own of at most 1000 events, so that one that is slow or
 * broken delays no other; what does not fit is dropped and counted. Events are put
 * together or held back by sinks, if at all.
 */
export class EventBroadcaster {
  readonly #deps: BroadcasterDeps;
  readonly #log: Logger;
  readonly #lines = new Set<SinkLine>();
  readonly #dropped: Counter;
  #tasks: TaskGroup | undefined;

  constructor(deps: BroadcasterDeps) {
    this.#deps = deps;
    this.#log = deps.log.named("broadcast");
    this.#dropped = deps.metrics.counter(
      "skerry_broadcast_events_dropped_total",
      "Events that a sink never got, by why: its line was full, or it took none in twelve tries, or it refused",
      ["sink", "cause"],
    );
  }

  /** Who says things in the name of a component. */
  recorder(component: string): BroadcastRecorder {
    return {
      record: (object, { type, reason, message }) => {
        if (this.#lines.size === 0) return;
        const event = {
          type,
          reason,
          message: message.slice(0, MESSAGE_LIMIT).toWellFormed(),
          object,
          component,
          atMs: this.#deps.clock.now(),
        };
        for (const line of this.#lines) line.add(event);
      },
    };
  }

  /**
   * Adds a sink for what happens from now on; disposing takes it away.
   *
   * @param name in the log and in metrics
   */
  addSink(name: string, take: BroadcastSink): Disposable {
    const line = new SinkLine({
      ...this.#deps,
      log: this.#log,
      dropped: this.#dropped,
    }, { name, take });
    this.#lines.add(line);
    this.#start(line);
    return {
      [Symbol.dispose]: () => {
        this.#lines.delete(line);
        line.close();
      },
    };
  }

  /** Hands events on until `signal` aborts; what comes before waits. */
  async run(signal: AbortSignal): Promise<void> {
    const tasks = new TaskGroup(signal);
    this.#tasks = tasks;
    const over = Promise.withResolvers<void>();
    tasks.signal.addEventListener("abort", () => over.resolve(), {
      once: true,
    });
    for (const line of this.#lines) this.#start(line);
    if (!tasks.signal.aborted) await over.promise;
    await tasks[Symbol.asyncDispose]();
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  #start(line: SinkLine): void {
    void this.#tasks?.start((signal) => line.run(signal));
  }
}

interface SinkLineDeps extends Omit<BroadcasterDeps, "metrics"> {
  readonly dropped: Counter;
}

/** What one sink is still to be given. */
class SinkLine {
  readonly #deps: SinkLineDeps;
  readonly #name: string;
  readonly #take: BroadcastSink;
  readonly #closed = new AbortController();
  readonly #wake = new Wake();
  /** At most {@linkcode QUEUE_LIMIT}, so that taking the first is cheap enough. */
  readonly #events: BroadcastEvent[] = [];
  #isFullTold = false;

  constructor(
    deps: SinkLineDeps,
    { name, take }: { readonly name: string; readonly take: BroadcastSink },
  ) {
    this.#deps = deps;
    this.#name = name;
    this.#take = take;
  }

  add(event: BroadcastEvent): void {
    if (this.#events.length < QUEUE_LIMIT) {
      this.#events.push(event);
      this.#wake.ring();
      return;
    }
    this.#drop("full");
    if (this.#isFullTold) return;
    this.#isFullTold = true;
    this.#deps.log.warn("sink_is_full", { sink: this.#name });
  }

  close(): void {
    this.#closed.abort();
  }

  run(signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#closed.signal]);
    return this.#wake.run(() => {
      const event = this.#events.shift();
      if (event !== undefined) return this.#give(event, either);
      this.#isFullTold = false;
      return undefined;
    }, either);
  }

  async #give(event: BroadcastEvent, signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#deps;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        return await this.#take(event, signal);
      } catch (error) {
        if (isAbort(error, signal)) return;
        const { reason } = event;
        const fields = { sink: this.#name, reason, tries, error };
        if (error instanceof ApiFailure && !PASSING.includes(error.reason)) {
          this.#drop("refused");
          return log.warn("event_is_refused", fields);
        }
        if (tries === MAX_TRIES) {
          this.#drop("tries");
          return log.error("event_is_given_up", fields);
        }
        log.debug("event_is_tried_again", fields);
        // By chance at first, so that many who lost one server do not come back at once.
        const part = tries === 1 ? random.next() : 1;
        // It ends early only when it is stopped; the loop looks at the signal.
        await clock.sleep(RETRY_MS * part, signal).catch(() => {});
      }
    }
  }

  #drop(cause: "full" | "tries" | "refused"): void {
    this.#deps.dropped.inc({ sink: this.#name, cause });
  }
}
