/**
 * Following the runtime's stream of events, and judging what it is worth.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type {
  Counter,
  Gauge,
  Histogram,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import type { Connected, Moved, RuntimeHint } from "../cri/events/mod.ts";
import { CriError } from "../cri/model/mod.ts";
import type { ContainerMoved } from "./diff.ts";
import {
  NO_STREAM,
  relistPeriodMs,
  retryDelayMs,
  stepStream,
  type StreamSignal,
  type StreamState,
} from "./stream_policy.ts";

/** What following the stream needs. */
export interface HintStreamDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** Opens the stream; absent when there is none. */
  readonly hints?: (signal: AbortSignal) => AsyncIterable<RuntimeHint>;
  /** Hears of every move; returns at once. */
  readonly take: (hint: Moved) => void;
  /** Hears that the stream is open, or no longer; returns at once. */
  readonly turned: (isOpen: boolean) => void;
  /** Hears that moves were told which nobody can name any more; returns at once. */
  readonly missed: () => void;
}

/** A change may be seen before it is told, but not much. */
const GRACE_MS = 500;

/** More announcements than a runtime can make between two lists. */
const MAX_TOLD = 4_096;

/**
 * Keeps the stream open and compares what it tells with what lists find.
 *
 * Nothing is ever concluded from it: it says where to look, and how often all has to
 * be listed (`stream_policy.ts`).
 */
export class HintStream {
  readonly #deps: HintStreamDeps;
  readonly #baseMs: number;
  readonly #connections: Counter;
  readonly #errors: Counter;
  readonly #latency: Histogram;
  readonly #period: Gauge;
  #state: StreamState = NO_STREAM;
  /** Since when every change is to be told; `undefined` while the stream is not open. */
  #openMs: number | undefined;
  /** What was told, as `up` or `down` and an id; the oldest first. */
  readonly #told = new Set<string>();
  /** Changes that were found untold, with when. */
  readonly #untold = new Map<string, number>();
  /** What the log said last of why there is no stream; `undefined` while it is open. */
  #logged: "absent" | "lost" | undefined;
  /** How often the runtime has answered again after it did not. */
  #returns = 0;
  #wake: () => void = () => {};

  constructor(deps: HintStreamDeps, options: { readonly baseMs: number }) {
    this.#deps = deps;
    this.#baseMs = options.baseMs;
    const { metrics } = deps;
    this.#connections = metrics.counter(
      "kubelet_evented_pleg_connection_success_count",
      "How often the runtime's stream of events was opened",
    );
    this.#errors = metrics.counter(
      "kubelet_evented_pleg_connection_error_count",
      "How often the runtime's stream of events ended or could not be opened",
    );
    this.#latency = metrics.histogram(
      "kubelet_evented_pleg_connection_latency_seconds",
      "Time from an event of the runtime to the agent's hearing of it",
      { buckets: LATENCY_BUCKETS },
    );
    this.#period = metrics.gauge(
      "skerry_pleg_relist_period_seconds",
      "Time from the end of one list of all pods to the beginning of the next: longer while the runtime's stream of events is proven to tell everything",
    );
    this.#period.set(this.periodMs / 1000);
  }

  /** From the end of one list to the beginning of the next, in milliseconds. */
  get periodMs(): number {
    // What was found untold is looked at again soon: then it is told, or was missed.
    return this.#untold.size > 0
      ? this.#baseMs
      : relistPeriodMs(this.#state, this.#baseMs);
  }

  /** Whether the stream is open. */
  get isOpen(): boolean {
    return this.#openMs !== undefined;
  }

  /** Follows the stream, again and again, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { hints } = this.#deps;
    if (hints === undefined) return;
    for (;;) {
      // One that returns while it is asked may be asked too early.
      const returns = this.#returns;
      let failure: unknown;
      try {
        for await (const hint of hints(signal)) this.#hear(hint);
        failure = new Error("The runtime ended its stream of events");
      } catch (error) {
        failure = error;
      }
      signal.throwIfAborted();
      this.#lose(failure);
      await this.#pause(returns, signal);
    }
  }

  /** The runtime was away and answers again: the stream is asked for soon. */
  runtimeReturned(): void {
    this.#returns++;
    this.#wake();
  }

  /** A look has found so what was told. */
  confirm(): void {
    this.#step({ kind: "told_truth" });
  }

  /**
   * Takes note of changes that a look has found of pods whose state was known before.
   *
   * @param sinceMs when that was
   */
  judge(found: readonly ContainerMoved[], sinceMs: number | undefined): void {
    // What may have happened before the stream was open it could not tell.
    if (this.#openMs === undefined || sinceMs === undefined) return;
    if (sinceMs < this.#openMs) return;
    for (const { kind, containerId } of found) {
      const way = FOUND_WAYS[kind];
      if (way === undefined) continue;
      const key = `${way} ${containerId}`;
      if (this.#told.has(key)) this.confirm();
      else this.#untold.set(key, this.#deps.clock.monotonic());
    }
  }

  /** A list of everything was dealt with, or failed. */
  listed(outcome: "done" | "failed"): void {
    if (outcome === "failed") return this.#step({ kind: "list_failed" });
    const endMs = this.#deps.clock.monotonic() - GRACE_MS;
    let missed = 0;
    for (const [key, sinceMs] of this.#untold) {
      if (sinceMs > endMs) continue;
      this.#untold.delete(key);
      missed++;
    }
    this.#step({ kind: "listed", untold: this.#untold.size, missed });
  }

  #hear(hint: RuntimeHint): void {
    switch (hint.kind) {
      case "connected":
        return this.#open(hint);
      case "moved":
        return this.#heed(hint);
      case "missed":
        return this.#deps.missed();
      default:
        return hint satisfies never;
    }
  }

  #open({ stream }: Connected): void {
    const { clock, log, turned } = this.#deps;
    this.#connections.inc();
    log.info("runtime_events_connected", { stream });
    this.#logged = undefined;
    this.#openMs = clock.monotonic();
    this.#step({ kind: "connected" });
    turned(true);
  }

  #heed(hint: Moved): void {
    const { clock, take } = this.#deps;
    // Wall clocks of one machine; they may still jump between the two.
    const latencyMs = clock.now() - Number(hint.at / 1_000_000n);
    if (latencyMs >= 0) this.#latency.observe(latencyMs / 1000);
    const way = TOLD_WAYS[hint.what];
    if (way !== undefined) {
      const key = `${way} ${hint.containerId}`;
      this.#told.add(key);
      const [oldest] = this.#told;
      if (this.#told.size > MAX_TOLD && oldest !== undefined) {
        this.#told.delete(oldest);
      }
      if (this.#untold.delete(key)) this.confirm();
    }
    take(hint);
  }

  /** Takes note that there is no stream any more, or none at all. */
  #lose(failure: unknown): void {
    const { log, turned } = this.#deps;
    const isAbsent = failure instanceof CriError &&
      failure.kind === "unimplemented";
    const now = isAbsent ? "absent" : "lost";
    if (!isAbsent) this.#errors.inc();
    // Once, not at each attempt.
    if (this.#logged !== now) {
      if (isAbsent) log.info("runtime_events_absent");
      else log.warn("runtime_events_lost", { error: failure });
    }
    this.#logged = now;
    const wasOpen = this.isOpen;
    this.#openMs = undefined;
    this.#told.clear();
    this.#untold.clear();
    this.#step({ kind: isAbsent ? "unimplemented" : "lost" });
    if (wasOpen) turned(false);
  }

  #step(signal: StreamSignal): void {
    this.#state = stepStream(this.#state, signal);
    this.#period.set(this.periodMs / 1000);
  }

  /** Waits until the stream is to be asked for again: soon, when there was a return. */
  async #pause(returns: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    if (this.#returns === returns) {
      await this.#wait(retryDelayMs(this.#state), signal);
    }
    if (this.#returns !== returns) await clock.sleep(RETURN_MS, signal);
  }

  /** Waits for a return of the runtime, at most so long. */
  async #wait(delayMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const leave = (): void => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    using _timer = this.#deps.clock.after(delayMs, resolve);
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#wake = () => {};
    }
  }
}

/** A runtime that is back is asked what it can do before it is asked for a stream. */
const RETURN_MS = 1_000;

const TOLD_WAYS: Readonly<Record<Moved["what"], "up" | "down" | undefined>> = {
  created: undefined,
  started: "up",
  stopped: "down",
  deleted: "down",
  oom: undefined,
};

/**
 * What a stream has to tell. That something dead was removed changes nothing that runs,
 * and is mostly the agent's own doing.
 */
const FOUND_WAYS: Readonly<
  Record<ContainerMoved["kind"], "up" | "down" | undefined>
> = {
  container_started: "up",
  container_died: "down",
  container_removed: undefined,
  container_changed: undefined,
  container_lost: undefined,
};

const LATENCY_BUCKETS: readonly number[] = [
  .001,
  .005,
  .01,
  .025,
  .05,
  .1,
  .25,
  .5,
  1,
  2.5,
];
