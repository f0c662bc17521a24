/**
 * The way by which all that moved leaves the picture.
 *
 * @module
 */

import { Inbox } from "../base/mod.ts";
import type { Counter, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { PodLifecycleEvent } from "./diff.ts";

/** Upstream's channel holds 1000; a listener that is slower misses nothing it would not relist. */
const CAPACITY = 1_000;

/** Keeps events until somebody takes them; drops the newest when there are too many. */
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
      // Whoever made it starts it.
      if (event.kind === "container_changed") continue;
      if (!this.#inbox.offer(event)) this.#discarded.inc();
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<PodLifecycleEvent> {
    return this.#inbox[Symbol.asyncIterator]();
  }

  /** Ends the one who listens. */
  [Symbol.dispose](): void {
    this.#inbox[Symbol.dispose]();
  }
}
