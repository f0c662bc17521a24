/**
 * Records what happens to pods: a log line, a metric and a bounded history.
 *
 * @module
 */

import type { Clock, Counter, Logger, MetricsRegistry } from "../base/mod.ts";
import type { EventSink, PodEvent, PodRef } from "../api/mod.ts";

/** One line of the history; the same event seen again raises `count` instead of adding a line. */
export interface RecordedEvent extends PodEvent {
  readonly pod: PodRef;
  /** Wall time, milliseconds since the epoch. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
}

/** Enough for the recent past of a hundred busy pods in about a megabyte. */
const HISTORY_LINES = 1000;

/** A repeated event is logged again after this time, so that a crash loop does not fill the log. */
const REPEAT_LOG_PERIOD_MS = 60_000;

/** Messages come from runtimes and hooks; no single one may eat the history. */
const MESSAGE_LIMIT = 1024;

/**
 * Keeps the newest events in memory and says each in the log.
 *
 * Owns its history; callers only add. Nothing is written to disk.
 */
export class EventRecorder implements EventSink {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #counter: Counter;
  /** Oldest first: a repeated event moves to the end. */
  readonly #history = new Map<string, RecordedEvent & { loggedMs: number }>();

  constructor(
    deps: { clock: Clock; log: Logger; metrics: MetricsRegistry },
  ) {
    this.#clock = deps.clock;
    this.#log = deps.log.named("events");
    this.#counter = deps.metrics.counter(
      "skerry_events_total",
      "Events recorded, by type and reason",
      ["type", "reason"],
    );
  }

  record(pod: PodRef, event: PodEvent): void {
    this.#counter.inc({ type: event.type, reason: event.reason });
    const nowMs = this.#clock.now();
    // A cut may split a character in two, which no wire form can carry.
    const message = event.message.slice(0, MESSAGE_LIMIT).toWellFormed();
    const key = JSON.stringify([
      pod.uid,
      event.reason,
      message,
      event.fieldPath,
    ]);
    const seen = this.#history.get(key);
    const due = seen === undefined ||
      nowMs - seen.loggedMs >= REPEAT_LOG_PERIOD_MS || nowMs < seen.loggedMs;
    this.#history.delete(key);
    this.#history.set(key, {
      ...event,
      message,
      pod,
      firstMs: seen?.firstMs ?? nowMs,
      lastMs: nowMs,
      count: (seen?.count ?? 0) + 1,
      loggedMs: due ? nowMs : seen.loggedMs,
    });
    const oldest = this.#history.keys().next();
    if (this.#history.size > HISTORY_LINES && !oldest.done) {
      this.#history.delete(oldest.value);
    }
    if (due) this.#say(pod, { ...event, message });
  }

  /** The history, oldest first; of one pod when `uid` is given. */
  list(uid?: string): readonly RecordedEvent[] {
    const all = [...this.#history.values()];
    return uid === undefined
      ? all
      : all.filter((event) => event.pod.uid === uid);
  }

  #say(pod: PodRef, event: PodEvent): void {
    const fields = {
      pod: `${pod.namespace}/${pod.name}`,
      uid: pod.uid,
      reason: event.reason,
      event: event.message,
      ...(event.fieldPath !== undefined && { field: event.fieldPath }),
    };
    if (event.type === "Warning") this.#log.warn("pod_event", fields);
    else this.#log.info("pod_event", fields);
  }
}
