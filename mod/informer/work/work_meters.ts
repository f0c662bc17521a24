/**
 * What is counted of a queue of keys.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type {
  Counter,
  Gauge,
  Histogram,
  MetricLabels,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";

/** How often it is said how long keys are being worked on, while any is. */
const LOOK_MS = 1_000;

/** Upstream's: a millionth of a second, ten times as long ten times. */
const BUCKETS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, .1, 1, 10];

/** The metrics of one queue, those of upstream's work queues; a queue at rest costs nothing. */
export class WorkMeters<K> {
  readonly #clock: Clock;
  readonly #labels: MetricLabels;
  readonly #depth: Gauge;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #waitSeconds: Histogram;
  readonly #workSeconds: Histogram;
  readonly #unfinished: Gauge;
  readonly #longest: Gauge;
  readonly #addedMs = new Map<K, number>();
  readonly #begunMs = new Map<K, number>();
  #timer: Disposable | undefined;

  constructor(
    deps: { readonly clock: Clock; readonly metrics: MetricsRegistry },
    name: string,
  ) {
    this.#clock = deps.clock;
    this.#labels = { name };
    const { metrics } = deps;
    const labelNames = ["name"];
    this.#depth = metrics.gauge(
      "skerry_workqueue_depth",
      "Keys that wait to be worked on",
      labelNames,
    );
    this.#adds = metrics.counter(
      "skerry_workqueue_adds_total",
      "Keys added that did not wait already",
      labelNames,
    );
    this.#retries = metrics.counter(
      "skerry_workqueue_retries_total",
      "Keys added again by the rate limiter",
      labelNames,
    );
    this.#waitSeconds = metrics.histogram(
      "skerry_workqueue_queue_duration_seconds",
      "How long keys waited",
      { labelNames, buckets: BUCKETS },
    );
    this.#workSeconds = metrics.histogram(
      "skerry_workqueue_work_duration_seconds",
      "How long keys were worked on",
      { labelNames, buckets: BUCKETS },
    );
    this.#unfinished = metrics.gauge(
      "skerry_workqueue_unfinished_work_seconds",
      "How long all keys together have been worked on that still are; looked at each second",
      labelNames,
    );
    this.#longest = metrics.gauge(
      "skerry_workqueue_longest_running_processor_seconds",
      "How long the key has been worked on that has been for longest; looked at each second",
      labelNames,
    );
  }

  /** A key was added. */
  added(key: K, depth: number): void {
    this.#addedMs.set(key, this.#clock.monotonic());
    this.#adds.inc(this.#labels);
    this.#depth.set(depth, this.#labels);
  }

  /** A key was added by its rate limiter. */
  retried(): void {
    this.#retries.inc(this.#labels);
  }

  /** The work on a key has begun. */
  begun(key: K, depth: number): void {
    const nowMs = this.#clock.monotonic();
    this.#begunMs.set(key, nowMs);
    this.#depth.set(depth, this.#labels);
    const addedMs = this.#addedMs.get(key);
    this.#addedMs.delete(key);
    if (addedMs !== undefined) {
      this.#waitSeconds.observe((nowMs - addedMs) / 1000, this.#labels);
    }
    this.#timer ??= this.#clock.after(LOOK_MS, () => this.#look());
  }

  /** The work on a key has ended. */
  ended(key: K): void {
    const begunMs = this.#begunMs.get(key);
    this.#begunMs.delete(key);
    if (begunMs === undefined) return;
    const seconds = (this.#clock.monotonic() - begunMs) / 1000;
    this.#workSeconds.observe(seconds, this.#labels);
  }

  /** Nothing will be worked on any more. */
  end(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Once more after the last has ended, to say so. */
  #look(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonic();
    let sumMs = 0;
    let longestMs = 0;
    for (const begunMs of this.#begunMs.values()) {
      sumMs += nowMs - begunMs;
      longestMs = Math.max(longestMs, nowMs - begunMs);
    }
    this.#unfinished.set(sumMs / 1000, this.#labels);
    this.#longest.set(longestMs / 1000, this.#labels);
    if (this.#begunMs.size === 0) return;
    this.#timer = this.#clock.after(LOOK_MS, () => this.#look());
  }
}
