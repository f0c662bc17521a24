/**
 * Tells an API server what happens on the node.
 *
 * What is one event, and what is one too many, was decided when it was recorded. The rest
 * follows client-go's tools/record/event.go.
 *
 * @module
 */

import { type FailureReason, hasFailed } from "../api/access/mod.ts";
import type { PodRef } from "../api/types/mod.ts";
import { type Clock, type Random, Wake } from "../base/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import { describeError } from "../base/text/mod.ts";
import { BucketLimiter, type RateLimiter } from "../informer/work/mod.ts";
import type { EventOutbox } from "./event_outbox.ts";
import type { RecordedEvent } from "./history.ts";
import { type KnownObject, type NewEvent, toNewEvent } from "./wire_event.ts";

/** What changes in an event that happens again. */
export type EventNews = Pick<NewEvent, "count" | "lastTimestamp" | "message">;

/** Events of an API server; every call throws `ApiFailure` when it does not get through. */
export interface EventClient {
  create(event: NewEvent, signal: AbortSignal): Promise<unknown>;
  /** Changes an event in part. */
  patch(
    place: NewEvent["metadata"],
    news: EventNews,
    signal: AbortSignal,
  ): Promise<unknown>;
}

/** What the delivery works with. */
export interface EventDeliveryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly outbox: EventOutbox;
  readonly client: EventClient;
  /** Whether the agent may speak for the node; when that changes, it is to be woken. */
  readonly mayTell: () => boolean;
  /** How the API server knows an object. */
  readonly known: (object: PodRef) => KnownObject;
}

/** How events are delivered. */
export interface EventDeliveryOptions {
  readonly nodeName: string;
  /** How many calls a second in the long run; 0 is any number. */
  readonly perSecond: number;
  /** How many at once after a rest. */
  readonly burst: number;
}

/** Upstream's maxTriesPerEvent, and its pause between them. */
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

/** A longer wish of the server is not its answer to one event. */
const LONGEST_WISH_MS = 300_000;

/** What says nothing of the event: it may be taken the next time. */
const PASSING: readonly FailureReason[] = [
  "Unreachable",
  "Timeout",
  "ServiceUnavailable",
  "TooManyRequests",
  "Unauthorized",
  "Garbage",
];

/**
 * Tells events one after the other, the one that was recorded longest ago first.
 *
 * Nobody waits for it: it reads what the recorder keeps. While the API server cannot be
 * reached nothing is given up but what the recorder forgets, an hour old or the oldest of
 * too many. An event that is refused is given up at once, and one that fails otherwise
 * after twelve tries. All that is given up is counted.
 */
export class EventDelivery {
  readonly #deps: EventDeliveryDeps;
  readonly #options: EventDeliveryOptions;
  readonly #limiter: RateLimiter<void> | undefined;
  readonly #untold: Counter;
  readonly #wake = new Wake();
  /** Failures one after another, and how many of them count against the event. */
  #failures = 0;
  #tries: { readonly id: number; readonly count: number } | undefined;
  #isRefusalTold = false;
  #lost = 0;

  constructor(deps: EventDeliveryDeps, options: EventDeliveryOptions) {
    this.#deps = { ...deps, log: deps.log.named("events") };
    this.#options = options;
    const { perSecond, burst } = options;
    this.#limiter = perSecond === 0
      ? undefined
      : new BucketLimiter(deps, { perSecond, burst });
    this.#untold = deps.metrics.counter(
      "skerry_events_untold_total",
      "Events that the API server was never told of, by why: it refused, they failed in twelve tries, or were forgotten before",
      ["cause"],
    );
  }

  /** Looks again: the agent may speak for the node, or may not any more. */
  wake(): void {
    this.#wake.ring();
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { outbox, mayTell } = this.#deps;
    using _moves = outbox.whenMoved(() => this.wake());
    await this.#wake.run(() => {
      const isDue = mayTell() && outbox.next() !== undefined;
      return isDue ? this.#turn(signal) : undefined;
    }, signal);
  }

  /** Tells the next event, or waits before it is tried again. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { outbox } = this.#deps;
    await this.#pause(this.#limiter?.when() ?? 0, signal);
    const event = outbox.next();
    if (event === undefined || signal.aborted) return;
    this.#countLost();
    try {
      await this.#tell(event, signal);
      outbox.done(event);
      this.#succeeded();
    } catch (error) {
      if (signal.aborted) return;
      await this.#failed(event, error, signal);
    }
  }

  async #tell(event: RecordedEvent, signal: AbortSignal): Promise<void> {
    const { client, known } = this.#deps;
    const { nodeName } = this.#options;
    const wire = toNewEvent(event, { nodeName, known: known(event.pod) });
    const { metadata, count, lastTimestamp, message } = wire;
    const news = { count, lastTimestamp, message };
    try {
      if (count > 1) return void await client.patch(metadata, news, signal);
    } catch (error) {
      // It happened again before it was told, or the server has forgotten it.
      if (!hasFailed(error, "NotFound")) throw error;
    }
    try {
      await client.create(wire, signal);
    } catch (error) {
      // Only the answer to an earlier try did not come.
      if (!hasFailed(error, "AlreadyExists")) throw error;
      if (count > 1) await client.patch(metadata, news, signal);
    }
  }

  async #failed(
    event: RecordedEvent,
    error: unknown,
    signal: AbortSignal,
  ): Promise<void> {
    const { log } = this.#deps;
    const about = { reason: event.reason, error: describeError(error) };
    if (!hasFailed(error, ...PASSING)) {
      this.#giveUp(event, "refused");
      if (this.#isRefusalTold) log.debug("event_refused", about);
      else log.warn("event_refused", about);
      this.#isRefusalTold = true;
      return;
    }
    if (this.#failures++ === 0) log.info("events_wait", about);
    const isOfEvent = !hasFailed(error, "Unreachable");
    const { id } = event;
    const before = this.#tries?.id === id ? this.#tries.count : 0;
    const count = before + (isOfEvent ? 1 : 0);
    this.#tries = { id, count };
    if (count === MAX_TRIES) {
      this.#giveUp(event, "tries");
      return log.warn("event_given_up", about);
    }
    // By chance at first, so that many who lost one server do not come back at once.
    const part = this.#failures === 1 ? this.#deps.random.next() : 1;
    const wishMs = Math.min(error.retryAfterMs ?? 0, LONGEST_WISH_MS);
    await this.#pause(Math.max(RETRY_MS * part, wishMs), signal);
  }

  #succeeded(): void {
    const { log } = this.#deps;
    if (this.#failures > 0) log.info("events_told_again", {});
    this.#failures = 0;
    this.#isRefusalTold = false;
    if (this.#lost > 0) log.warn("events_lost", { count: this.#lost });
    this.#lost = 0;
  }

  #countLost(): void {
    const lost = this.#deps.outbox.takeLost();
    if (lost > 0) this.#untold.inc({ cause: "forgotten" }, lost);
    this.#lost += lost;
  }

  #giveUp(event: RecordedEvent, cause: "refused" | "tries"): void {
    this.#deps.outbox.done(event);
    this.#untold.inc({ cause });
  }

  /** Ends early only when it is stopped, which the loop looks at. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0) await this.#deps.clock.sleep(ms, signal).catch(() => {});
  }
}
