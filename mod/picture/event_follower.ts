/**
 * Following the runtime's stream of events.
 *
 * @module
 */

import { Bell, type Clock } from "../base/mod.ts";
import type {
  Counter,
  Histogram,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import type { ContainerEvent, RuntimeEvent } from "../cri/events/mod.ts";
import { CriError } from "../cri/model/mod.ts";
import type { ListPace } from "./list_pace.ts";

interface EventFollowerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly pace: ListPace;
  /** Opens the stream. */
  readonly stream: (signal: AbortSignal) => AsyncIterable<RuntimeEvent>;
  /** Each of them gets every event, in this order. */
  readonly listeners: readonly { announce(event: ContainerEvent): void }[];
}

/** After its return the runtime is asked for its features first, then for a stream. */
const RETURN_MS = 1_000;

/**
 * Keeps the stream open and passes on what it announces.
 *
 * An event is a hint where to look. The agent concludes nothing else from it.
 */
export class EventFollower {
  readonly #deps: EventFollowerDeps;
  readonly #connections: Counter;
  readonly #errors: Counter;
  readonly #latency: Histogram;
  readonly #bell = new Bell();
  /** The last logged reason why there is no stream; `undefined` while it is open. */
  #logged: "absent" | "lost" | undefined;
  /** How often the runtime has returned after an outage. */
  #returns = 0;

  constructor(deps: EventFollowerDeps) {
    this.#deps = deps;
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
  }

  /** Follows the stream, again and again, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      // If the runtime returns during the attempt, the attempt may have come too early.
      const returns = this.#returns;
      let failure: unknown;
      try {
        for await (const event of this.#deps.stream(signal)) this.#take(event);
        failure = new Error("The runtime ended its stream of events");
      } catch (error) {
        failure = error;
      }
      signal.throwIfAborted();
      this.#lose(failure);
      await this.#pause(returns, signal);
    }
  }

  /** The runtime answers again after an outage: the stream is requested soon. */
  runtimeReturned(): void {
    this.#returns++;
    this.#bell.ring();
  }

  #take(event: RuntimeEvent): void {
    const { log, pace } = this.#deps;
    switch (event.kind) {
      case "connected":
        this.#connections.inc();
        log.info("runtime_events_connected", { stream: event.stream });
        this.#logged = undefined;
        return pace.connected();
      case "moved":
        return this.#announce(event);
      case "missed":
        return pace.pull("at_once");
      default:
        return event satisfies never;
    }
  }

  #announce(event: ContainerEvent): void {
    const { clock, pace, listeners } = this.#deps;
    // Wall clocks of one machine; they may still jump between the two.
    const latencyMs = clock.now() - Number(event.at / 1_000_000n);
    if (latencyMs >= 0) this.#latency.observe(latencyMs / 1000);
    pace.announced(event);
    for (const listener of listeners) listener.announce(event);
  }

  /** Records that the stream has ended, or that the runtime has none. */
  #lose(failure: unknown): void {
    const { log, pace } = this.#deps;
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
    pace.lost(isAbsent ? "unimplemented" : "lost");
  }

  /** Waits until the next request for the stream, which comes soon after a return. */
  async #pause(returns: number, signal: AbortSignal): Promise<void> {
    const { clock, pace } = this.#deps;
    if (this.#returns === returns) {
      const untilMs = clock.monotonic() + pace.retryMs;
      await this.#bell.wait(signal, { clock, untilMs });
      signal.throwIfAborted();
    }
    if (this.#returns !== returns) await clock.sleep(RETURN_MS, signal);
  }
}

const LATENCY_BUCKETS: readonly number[] = [
  ...[.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5],
];
