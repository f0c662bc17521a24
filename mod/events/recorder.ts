/**
 * Records what happens to pods and to the node: a log line, a metric and a bounded history.
 *
 * @module
 */

import { type Clock, type Moment, momentOf } from "../base/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import type {
  EventFacts,
  EventSink,
  PodEvent,
  PodRef,
} from "../api/types/mod.ts";
import { type Correlated, EventCorrelator } from "./correlator.ts";
import { dated } from "./dated.ts";
import { EventOutbox } from "./event_outbox.ts";
import {
  type EventChange,
  EventHistory,
  type RecordedEvent,
  type TracedEvent,
  type UnnumberedEvent,
} from "./history.ts";

/**
 * Enough for the recent past of five hundred pods; upstream's correlator remembers as
 * many, and the bytes are for messages of the usual length.
 */
const HISTORY_LIMITS = {
  events: 4096,
  bytes: 4 * 1024 * 1024,
  // Upstream's --event-ttl of the API server; each repetition begins it anew.
  ageMs: 3_600_000,
};

/** Between two searches for what is too old; each looks at everything that is kept. */
const EXPIRE_PERIOD_MS = 60_000;

/** A repeated event is logged again after this time, so that a crash loop does not fill the log. */
const REPEAT_LOG_PERIOD_MS = 60_000;

/** Messages come from runtimes and hooks; no single one may eat the history. */
const MESSAGE_LIMIT = 1024;

/** More than any name that the API takes; a refused manifest may hold longer ones. */
const NAME_LIMIT = 256;

/**
 * Keeps the newest events in memory and writes each to the log.
 *
 * Owns its history; callers only add. Nothing is written to disk, and nothing grows
 * with what is recorded. An event is kept for an hour after it happened last. An event over the rate limit of its pod is not lost as it is
 * upstream: if it is a repeated one its count rises, though watchers are not woken;
 * if not, it is shown until the next such event of its pod and type takes its place.
 */
export class EventRecorder implements EventSink {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #counter: Counter;
  readonly #limited: Counter;
  readonly #correlator = new EventCorrelator();
  readonly #history: EventHistory;
  #expireMs = -Infinity;
  #outbox: EventOutbox | undefined;

  constructor(
    deps: { clock: Clock; log: Logger; metrics: MetricsRegistry },
  ) {
    this.#clock = deps.clock;
    this.#log = deps.log.named("events");
    // So that the numbers of this run follow those of the last.
    this.#history = new EventHistory(
      HISTORY_LIMITS,
      Math.max(0, Math.trunc(this.#clock.now())),
    );
    this.#counter = deps.metrics.counter(
      "skerry_events_total",
      "Events recorded, by type and reason",
      ["type", "reason"],
    );
    this.#limited = deps.metrics.counter(
      "skerry_events_limited_total",
      "Events over the rate limit of their pod: only counted, or shown until the next one",
      ["type"],
    );
  }

  record(pod: PodRef, event: PodEvent): void {
    const { type, reason } = event;
    this.#counter.inc({ type, reason });
    const bounded = { pod: boundPod(pod), event: boundEvent(event) };
    const at = momentOf(this.#clock);
    const elapsedMs = at.monotonicMs;
    this.expire();
    const correlated = this.#correlator.correlate(
      bounded.pod,
      bounded.event,
      elapsedMs,
    );
    const { key, message, allowed } = correlated;
    if (!allowed) this.#limited.inc({ type });
    const { place, before } = this.#placeOf(correlated, elapsedMs);
    const isDue = before === undefined ||
      elapsedMs - before.trace.loggedMs >= REPEAT_LOG_PERIOD_MS;
    const now = { ...bounded, at, key, message, allowed, isDue };
    const next = follow(before, now);
    const isRepeated = before?.trace.identity === key;
    if (!isRepeated) this.#history.add(place, next);
    else if (!allowed) this.#history.amend(place, next);
    else {
      this.#history.forget(place);
      this.#history.add(key, next, before.id);
    }
    if (isDue) this.#write(next, before?.trace.unsaid ?? 0);
  }

  /** The events that are kept, of one pod or of all, the oldest number first. */
  list({ uid }: { readonly uid?: string } = {}): readonly RecordedEvent[] {
    const now = momentOf(this.#clock);
    return this.#history.list(now.monotonicMs)
      .filter(({ pod }) => uid === undefined || pod.uid === uid)
      .map((event) => dated(event, now));
  }

  /** Forgets what is too old, at most once a minute; to be called now and then. */
  expire(): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs < this.#expireMs) return;
    this.#expireMs = nowMs + EXPIRE_PERIOD_MS;
    this.#history.expire(nowMs);
    this.#correlator.expire(nowMs);
  }

  /** The number of the newest event, from which a watch can go on. */
  get latest(): number {
    return this.#history.latest;
  }

  /**
   * Yields what was recorded after a number, all that is kept without one, and then what is
   * recorded until `signal` aborts.
   *
   * Ends with `lost` when the watcher has missed something: it has to list again.
   */
  async *watch(
    signal: AbortSignal,
    options: { readonly after?: number } = {},
  ): AsyncGenerator<EventChange, void, undefined> {
    for await (
      const change of this.#history.watch(signal, {
        ...options,
        now: () => this.#clock.monotonic(),
      })
    ) {
      if (change.kind === "lost") yield change;
      else {
        const event = dated(change.event, momentOf(this.#clock));
        yield { kind: change.kind, event };
      }
    }
  }

  /**
   * What a cluster is still to be told of; the same each time, so that whoever tells it
   * goes on where another has ended.
   */
  get outbox(): EventOutbox {
    this.#outbox ??= new EventOutbox(this.#history, this.#clock);
    return this.#outbox;
  }

  /** Where an event belongs, and what is there already that it goes on from. */
  #placeOf({ key, source, allowed }: Correlated, nowMs: number): {
    readonly place: string;
    readonly before: TracedEvent | undefined;
  } {
    const known = this.#history.get(key, nowMs);
    if (known !== undefined) return { place: key, before: known };
    // The newest of those over the limit, which have one place together.
    const spare = `newest ${source}`;
    const held = this.#history.get(spare, nowMs);
    if (held?.trace.identity === key) return { place: spare, before: held };
    return allowed
      ? { place: key, before: undefined }
      : { place: spare, before: held };
  }

  #write(event: UnnumberedEvent, unsaid: number): void {
    const { pod, count } = event;
    const { name, about } = logFields(pod);
    const fields = {
      ...about,
      reason: event.reason,
      event: event.message,
      ...(event.fieldPath !== undefined && { field: event.fieldPath }),
      ...(count > 1 && { count }),
      // Some of them may have been other events over the limit.
      ...(unsaid > 0 && { unsaid }),
    };
    if (event.type === "Warning") this.#log.warn(name, fields);
    else this.#log.info(name, fields);
  }
}

/** How the log names what an event is about. */
function logFields(
  { kind, namespace, name, uid }: PodRef,
): { readonly name: string; readonly about: Readonly<Record<string, string>> } {
  switch (kind) {
    case undefined:
      return { name: "pod_event", about: { pod: `${namespace}/${name}`, uid } };
    case "Node":
      return { name: "node_event", about: { node: name } };
    default:
      return {
        name: "object_event",
        about: { object: `${kind} ${namespace}/${name}`, uid },
      };
  }
}

/** The event as it is kept now, after the one in whose place it comes. */
function follow(
  before: TracedEvent | undefined,
  now: {
    readonly pod: PodRef;
    readonly event: PodEvent;
    readonly at: Moment;
    /** What the correlator makes of it. */
    readonly key: string;
    readonly message: string;
    readonly allowed: boolean;
    readonly isDue: boolean;
  },
): UnnumberedEvent {
  const { pod, event, at, key, message, allowed } = now;
  const { wallMs: nowMs, monotonicMs: elapsedMs } = at;
  const seen = before?.trace.identity === key ? before : undefined;
  const first = seen === undefined
    ? at
    : { wallMs: seen.firstMs, monotonicMs: seen.trace.firstMs };
  return {
    ...event,
    // What repeats is kept as it is, unless its words change each time.
    message: seen?.message === message ? seen.message : copy(message),
    pod: seen?.pod ?? pod,
    firstMs: first.wallMs,
    lastMs: nowMs,
    bornMs: seen?.bornMs ?? nowMs,
    count: (seen?.count ?? 0) + 1,
    trace: {
      identity: key,
      firstMs: first.monotonicMs,
      lastMs: elapsedMs,
      loggedMs: before === undefined || now.isDue
        ? elapsedMs
        : before.trace.loggedMs,
      unsaid: before === undefined || now.isDue ? 0 : before.trace.unsaid + 1,
      isHeldBack: !allowed && (seen?.trace.isHeldBack ?? true),
    },
  };
}

function boundPod(pod: PodRef): PodRef {
  const { name, namespace, uid, kind, apiVersion, isLocal } = pod;
  return {
    name: own(name, NAME_LIMIT),
    namespace: own(namespace, NAME_LIMIT),
    uid: own(uid, NAME_LIMIT),
    ...(kind !== undefined && { kind }),
    ...(apiVersion !== undefined && { apiVersion }),
    ...(isLocal && { isLocal }),
  };
}

function boundEvent(event: PodEvent): PodEvent {
  const { type, reason, message, fieldPath, facts, component } = event;
  return {
    type,
    reason: own(reason, NAME_LIMIT),
    message: cut(message, MESSAGE_LIMIT),
    ...(fieldPath !== undefined && { fieldPath: own(fieldPath, NAME_LIMIT) }),
    ...(facts !== undefined && { facts: boundFacts(facts) }),
    ...(component !== undefined && { component }),
  };
}

function boundFacts(facts: EventFacts): EventFacts {
  return facts.kind === "probe_failure"
    ? { ...facts, found: own(facts.found, NAME_LIMIT) }
    : facts;
}

/** The first `limit` UTF-16 units, well-formed: half a pair has no wire form. */
function cut(text: string, limit: number): string {
  const part = text.length > limit ? text.slice(0, limit) : text;
  return part.toWellFormed();
}

/** Names as they are; of one that is too long a part that does not keep the whole. */
function own(text: string, limit: number): string {
  return text.length > limit ? copy(cut(text, limit)) : text.toWellFormed();
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** A part of a string keeps the whole of it in memory; a copy does not. */
function copy(text: string): string {
  return DECODER.decode(ENCODER.encode(text));
}
