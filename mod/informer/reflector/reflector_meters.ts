/**
 * What is counted of reflectors.
 *
 * @module
 */

import type {
  Counter,
  Histogram,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";

/** The metrics that all reflectors share. */
export interface ReflectorMeters {
  readonly lists: Counter;
  readonly listSeconds: Histogram;
  readonly watches: Counter;
  readonly failures: Counter;
  readonly unreadable: Counter;
}

/** The metrics of reflectors in a registry. */
export function reflectorMeters(metrics: MetricsRegistry): ReflectorMeters {
  return {
    lists: metrics.counter(
      "skerry_reflector_lists_total",
      "Pages of lists asked for",
      ["kind"],
    ),
    listSeconds: metrics.histogram(
      "skerry_reflector_list_duration_seconds",
      "How long a page of a list took",
      { labelNames: ["kind"] },
    ),
    watches: metrics.counter(
      "skerry_reflector_watches_total",
      "Watches opened, or tried to",
      ["kind"],
    ),
    failures: metrics.counter(
      "skerry_reflector_failures_total",
      "Lists and watches that failed, by what was done and why",
      ["kind", "act", "reason"],
    ),
    unreadable: metrics.counter(
      "skerry_reflector_unreadable_objects_total",
      "Objects in lists and watches that could not be read and were left out",
      ["kind"],
    ),
  };
}
