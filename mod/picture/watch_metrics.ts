/**
 * What lists of all pods show of themselves.
 *
 * @module
 */

import type {
  Gauge,
  Histogram,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import type { RuntimeListing } from "../runtime/observe/mod.ts";

/** The kubelet's names, so that its dashboards show this agent too. */
export class WatchMetrics {
  /** Seconds that a list of all pods took. */
  readonly duration: Histogram;
  /** Seconds between the beginnings of two lists. */
  readonly interval: Histogram;
  /** Seconds since the epoch. */
  readonly lastSeen: Gauge;
  readonly #runningPods: Gauge;
  readonly #containers: Gauge;

  /** Registers the metrics. */
  constructor(metrics: MetricsRegistry) {
    this.duration = metrics.histogram(
      "kubelet_pleg_relist_duration_seconds",
      "Time that one list of all pods took, looks at those that moved included",
    );
    this.interval = metrics.histogram(
      "kubelet_pleg_relist_interval_seconds",
      "Time between the beginnings of two lists of all pods",
    );
    this.lastSeen = metrics.gauge(
      "kubelet_pleg_last_seen_seconds",
      "When a list of all pods last succeeded, in seconds since the epoch",
    );
    this.#runningPods = metrics.gauge(
      "kubelet_running_pods",
      "Pods with a ready sandbox",
    );
    this.#containers = metrics.gauge(
      "kubelet_running_containers",
      "Containers by the state they are in",
      ["container_state"],
    );
  }

  /** Counts what a list shows. */
  count(listing: RuntimeListing): void {
    let pods = 0;
    const counts = { created: 0, running: 0, exited: 0, unknown: 0 };
    for (const { sandboxes, containers } of listing.pods.values()) {
      if (sandboxes.some(({ state }) => state === "ready")) pods++;
      for (const { state } of containers) counts[state]++;
    }
    this.#runningPods.set(pods);
    for (const [state, count] of Object.entries(counts)) {
      this.#containers.set(count, { container_state: state });
    }
  }
}
