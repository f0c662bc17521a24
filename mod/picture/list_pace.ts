/**
 * When the next list of all pods is due; it depends on the trust in the runtime's events.
 *
 * @module
 */

import { Bell, type Clock } from "../base/mod.ts";
import type { Gauge, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { ContainerEvent } from "../cri/events/mod.ts";
import type { ContainerMoved } from "./diff.ts";
import {
  NO_STREAM,
  relistPeriodMs,
  retryDelayMs,
  stepStream,
  type StreamSignal,
  type StreamState,
} from "./stream_policy.ts";

/** How long a look may show a change before its event arrives. */
const GRACE_MS = 500;

/** More announcements than a runtime can make between two lists. */
const MAX_ANNOUNCED = 4_096;

/**
 * Compares the runtime's events with what lists find. While the events announce every
 * change, lists are rare (`stream_policy.ts`).
 */
export class ListPace {
  /** From the end of one list to the beginning of the next without trust. */
  readonly baseMs: number;
  /** The runtime does not answer, so it is listed at the base period. */
  isAway = false;
  readonly #clock: Clock;
  readonly #period: Gauge;
  readonly #bell = new Bell();
  #state: StreamState = NO_STREAM;
  /** Since when every change is announced; `undefined` while the stream is not open. */
  #openMs: number | undefined;
  /** What was announced, as `up` or `down` and an id; the oldest first. */
  readonly #announced = new Set<string>();
  /** Changes that were found without an event, with the time of the find. */
  readonly #unannounced = new Map<string, number>();
  #pulled: "at_once" | "soon" | undefined;

  constructor(
    { clock, metrics }: { clock: Clock; metrics: MetricsRegistry },
    options: { readonly relistPeriodMs: number },
  ) {
    this.#clock = clock;
    this.baseMs = options.relistPeriodMs;
    this.#period = metrics.gauge(
      "skerry_pleg_relist_period_seconds",
      "Time from the end of one list of all pods to the beginning of the next: longer while the runtime's stream of events is proven to tell everything",
    );
    this.#period.set(this.periodMs / 1000);
  }

  /** From the end of one list to the beginning of the next, in milliseconds. */
  get periodMs(): number {
    // The next list comes soon after such a find. It shows whether the event was late.
    return this.#unannounced.size > 0
      ? this.baseMs
      : relistPeriodMs(this.#state, this.baseMs);
  }

  /** Whether the next list of all comes soon anyway. */
  get isNear(): boolean {
    return this.periodMs <= this.baseMs;
  }

  /** Whether the stream of events is open. */
  get isOpen(): boolean {
    return this.#openMs !== undefined;
  }

  /** Milliseconds from the end of a stream until it is asked for again. */
  get retryMs(): number {
    return retryDelayMs(this.#state);
  }

  /** Asks for a list of all, now or after the base period. */
  pull(when: "at_once" | "soon"): void {
    if (this.#pulled !== "at_once") this.#pulled = when;
    this.#bell.ring();
  }

  /** A list begins; it answers every earlier request. */
  begin(): void {
    this.#pulled = undefined;
  }

  /** Waits until the next list is due, or `signal` aborts; the last one ended at `endMs`. */
  async wait(endMs: number, signal: AbortSignal): Promise<void> {
    const clock = this.#clock;
    for (;;) {
      const untilMs = endMs + this.#pauseMs;
      if (signal.aborted || untilMs <= clock.monotonic()) return;
      await this.#bell.wait(signal, { clock, untilMs });
    }
  }

  /** A list of all pods was processed, or failed. */
  listed(outcome: "done" | "failed"): void {
    if (outcome === "failed") return this.#step({ kind: "list_failed" });
    const endMs = this.#clock.monotonic() - GRACE_MS;
    let missed = 0;
    for (const [key, sinceMs] of this.#unannounced) {
      if (sinceMs > endMs) continue;
      this.#unannounced.delete(key);
      missed++;
    }
    const unannounced = this.#unannounced.size;
    this.#step({ kind: "listed", unannounced, missed });
  }

  /** The stream is open; a list finds what moved before. */
  connected(): void {
    this.#openMs = this.#clock.monotonic();
    this.#step({ kind: "connected" });
    this.pull("at_once");
  }

  /** The stream has ended, or the runtime has none. */
  lost(kind: "lost" | "unimplemented"): void {
    const wasOpen = this.isOpen;
    this.#openMs = undefined;
    this.#announced.clear();
    this.#unannounced.clear();
    this.#step({ kind });
    if (wasOpen) this.pull("at_once");
  }

  /** The runtime has announced something. */
  announced({ what, containerId }: ContainerEvent): void {
    const way = ANNOUNCED_WAYS[what];
    if (way === undefined) return;
    const key = `${way} ${containerId}`;
    this.#announced.add(key);
    const [oldest] = this.#announced;
    if (this.#announced.size > MAX_ANNOUNCED && oldest !== undefined) {
      this.#announced.delete(oldest);
    }
    if (this.#unannounced.delete(key)) this.confirm();
  }

  /** A look has confirmed an event. */
  confirm(): void {
    this.#step({ kind: "confirmed" });
  }

  /**
   * Records changes that a look has found in pods whose earlier state was known.
   *
   * @param sinceMs the time of that earlier state
   */
  judge(found: readonly ContainerMoved[], sinceMs: number | undefined): void {
    // The stream cannot have announced a change that may be older than the stream.
    if (this.#openMs === undefined || sinceMs === undefined) return;
    if (sinceMs < this.#openMs) return;
    for (const { kind, containerId } of found) {
      const way = FOUND_WAYS[kind];
      if (way === undefined) continue;
      const key = `${way} ${containerId}`;
      if (this.#announced.has(key)) this.confirm();
      else this.#unannounced.set(key, this.#clock.monotonic());
    }
  }

  get #pauseMs(): number {
    if (this.#pulled === "at_once") return 0;
    return this.#pulled === "soon" || this.isAway ? this.baseMs : this.periodMs;
  }

  #step(signal: StreamSignal): void {
    this.#state = stepStream(this.#state, signal);
    this.#period.set(this.periodMs / 1000);
  }
}

const ANNOUNCED_WAYS: Partial<Record<ContainerEvent["what"], Way>> = {
  started: "up",
  stopped: "down",
  deleted: "down",
};

/**
 * The changes that a stream must announce. The removal of something dead is not among them:
 * it changes nothing that runs, and mostly the agent itself removed it.
 */
const FOUND_WAYS: Partial<Record<ContainerMoved["kind"], Way>> = {
  container_started: "up",
  container_died: "down",
};

type Way = "up" | "down";
