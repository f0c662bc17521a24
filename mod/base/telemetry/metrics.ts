/**
 * Numbers about the agent, in the text format that Prometheus reads.
 *
 * @module
 */

import { invariant } from "../mod.ts";
import {
  type Counter,
  type Gauge,
  type Histogram,
  Metric,
  type MetricHead,
} from "./metric.ts";

/** The content type of what `MetricsRegistry.render` returns. */
export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** How a counter is made. */
export interface CounterOptions {
  /** The labels that each value has. */
  readonly labelNames?: readonly string[];
  /** How many label sets it holds before the rest is counted as `other`; by default 1000. */
  readonly maxLabelSets?: number;
}

// What upstream's histograms have that name none, after Prometheus' client for Go.
const SECONDS = [.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10];

/** How a histogram is made. */
export interface HistogramOptions extends CounterOptions {
  /** Upper bounds in rising order; +Inf is implied. By default those of Prometheus for seconds. */
  readonly buckets?: readonly number[];
}

/**
 * Holds every metric of the agent.
 *
 * Asking twice for a name returns the same metric, so that two places can share
 * one. A metric holds at most 1000 label sets unless it is made for more; what comes
 * after is counted under the label value `other`, so that no input can fill the memory.
 *
 * @example A counter with a label
 * ```ts
 * import { match } from "node:assert/strict";
 * import { MetricsRegistry } from "./metrics.ts";
 *
 * const metrics = new MetricsRegistry();
 * const refused = metrics.counter("refused_total", "Pods refused.", ["reason"]);
 * refused.inc({ reason: "port" });
 * match(metrics.render(), /refused_total\{reason="port"\} 1/);
 * ```
 */
export class MetricsRegistry {
  readonly #metrics = new Map<string, Metric>();

  /**
   * The counter of this name, which by custom ends in `_total`; the third argument may
   * be just the label names.
   *
   * @throws {InvariantError} When the name is malformed, or taken by a metric of
   * another kind or with other labels.
   */
  counter(
    name: string,
    help: string,
    options: CounterOptions | readonly string[] = {},
  ): Counter {
    const { labelNames = [], ...limits }: CounterOptions = "length" in options
      ? { labelNames: options }
      : options;
    return this.#metric({ kind: "counter", name, help, labelNames, ...limits });
  }

  /** The gauge of this name. @throws {InvariantError} as {@linkcode counter} */
  gauge(
    name: string,
    help: string,
    labelNames: readonly string[] = [],
  ): Gauge {
    return this.#metric({ kind: "gauge", name, help, labelNames });
  }

  /**
   * The histogram of this name; by custom it ends in its unit, `_seconds`.
   *
   * @throws {InvariantError} as {@linkcode counter}, and when the buckets do not rise
   */
  histogram(
    name: string,
    help: string,
    options: HistogramOptions = {},
  ): Histogram {
    const { labelNames = [], buckets = SECONDS, ...limits } = options;
    const kind = "histogram";
    return this.#metric({ kind, name, help, labelNames, buckets, ...limits });
  }

  /** All metrics by name, in the text format 0.0.4. */
  render(): string {
    const lines = [...this.#metrics.values()]
      .sort((a, b) => a.head.name < b.head.name ? -1 : 1)
      .flatMap((metric) => [
        `# HELP ${metric.head.name} ${escapeHelp(metric.head.help)}`,
        `# TYPE ${metric.head.name} ${metric.head.kind}`,
        ...metric.samples(),
      ]);
    return lines.map((line) => `${line}\n`).join("");
  }

  /** The metric of this head, made if need be. */
  #metric(head: MetricHead): Metric {
    const { kind, name, labelNames } = head;
    const known = this.#metrics.get(name);
    if (known !== undefined) {
      invariant(
        known.head.kind === kind &&
          known.head.labelNames.join() === labelNames.join(),
        `The metric "${name}" exists with another kind or other labels`,
      );
      return known;
    }
    invariant(
      /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name),
      `The metric name "${name}" is malformed`,
    );
    for (const label of labelNames) {
      invariant(
        /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/.test(label),
        `The label name "${label}" of the metric "${name}" is malformed`,
      );
    }
    const metric = new Metric(head);
    this.#metrics.set(name, metric);
    return metric;
  }
}

function escapeHelp(text: string): string {
  return text.toWellFormed().replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
