/**
 * The queue of pod events from the picture to the sync loop.
 *
 * @module
 */

import { Inbox } from "../base/mod.ts";
import type { Counter, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { PodLifecycleEvent } from "./diff.ts";

/** As upstream. A slower listener misses only what the next list shows again. */
const CAPACITY = 1_000;

/** A bounded queue of pod events; when it is full, the newest event is dropped. */
export class Changes implements Disposable, AsyncIterable<PodLifecycleEvent> {
  readonly #inbox = new Inbox<PodLifecycleEvent>(CAPACITY);
  readonly #discarded: Counter;

  constructor(metrics: MetricsRegistry) {
    this.#discarded = metrics.counter(
      "kubelet_pleg_discard_events",
      "Events dropped because nobody took them",
    );
  }

  /** Passes events on; returns at once. */
  publish(events: readonly PodLifecycleEvent[]): void {
    for (const event of events) {
      // The agent created it, and starts it as the next step.
      if (event.kind === "container_changed") continue;
      if (!this.#inbox.offer(event)) this.#discarded.inc();
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<PodLifecycleEvent> {
    return this.#inbox[Symbol.asyncIterator]();
  }

  /** Ends the listener's iteration. */
  [Symbol.dispose](): void {
    this.#inbox[Symbol.dispose]();
  }
}
