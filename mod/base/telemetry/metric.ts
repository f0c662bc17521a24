/**
 * The kinds of metrics, each with the lines it is rendered as.
 *
 * @module
 */

import { invariant } from "../mod.ts";
import { LabelSets } from "./label_sets.ts";

/** The labels of one value: exactly the names the metric was made with. */
export type MetricLabels = Readonly<Record<string, string>>;

interface Labelled {
  /**
   * Forgets the value of a label set, such as of a pod that is gone.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   */
  delete(labels: MetricLabels): void;
}

/** A number that only rises. */
export interface Counter extends Labelled {
  /**
   * Adds to the value.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   * @throws {RangeError} When `by` is negative or not a number.
   */
  inc(labels?: MetricLabels, by?: number): void;
}

/** A number that is what it is now. */
export interface Gauge extends Labelled {
  /**
   * Replaces the value.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   */
  set(value: number, labels?: MetricLabels): void;
}

/** How a quantity is spread, such as how long something took. */
export interface Histogram extends Labelled {
  /**
   * Counts one value, given in the unit of the metric; NaN is left out.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   */
  observe(value: number, labels?: MetricLabels): void;
}

/** What every metric is known by. */
export interface MetricHead {
  /** As Prometheus knows it, with its unit: `skerry_relist_duration_seconds`. */
  readonly name: string;
  /** What it counts, in one sentence. */
  readonly help: string;
  /** The names of its labels. */
  readonly labelNames: readonly string[];
  /** How many label sets it holds before the rest is folded into one. */
  readonly maxLabelSets?: number;
}

/** A metric as the registry sees it. */
export interface Metric {
  /** The word of the `# TYPE` line. */
  readonly kind: "counter" | "gauge" | "histogram";
  /** What it is known by. */
  readonly head: MetricHead;
  /** One line for each value. */
  samples(): string[];
}

abstract class Family<Value> implements Labelled {
  readonly head: MetricHead;
  protected readonly values: LabelSets<Value>;

  constructor(head: MetricHead, make: () => Value) {
    this.head = head;
    this.values = new LabelSets(head, make);
  }

  delete(labels: MetricLabels): void {
    this.values.delete(labels);
  }
}

abstract class NumberFamily extends Family<{ value: number }> {
  constructor(head: MetricHead) {
    super(head, () => ({ value: 0 }));
  }

  samples(): string[] {
    return this.values.map(({ value }, labels) =>
      sample(this.head.name, labels, value)
    );
  }
}

/** A counter as the registry keeps it. */
export class CounterMetric extends NumberFamily implements Counter, Metric {
  readonly kind = "counter";

  inc(labels?: MetricLabels, by: number = 1): void {
    if (!(by >= 0)) {
      throw new RangeError(
        `Cannot count "${this.head.name}": "${by}" was given, a number of at least 0 is needed`,
      );
    }
    this.values.at(labels).value += by;
  }
}

/** A gauge as the registry keeps it. */
export class GaugeMetric extends NumberFamily implements Gauge, Metric {
  readonly kind = "gauge";

  set(value: number, labels?: MetricLabels): void {
    this.values.at(labels).value = value;
  }
}

interface Distribution {
  // How many fell into each bucket and no lower one; the last is +Inf.
  readonly counts: number[];
  sum: number;
}

/** A histogram as the registry keeps it. */
export class HistogramMetric extends Family<Distribution>
  implements Histogram, Metric {
  readonly kind = "histogram";
  readonly #bounds: readonly number[];

  constructor(head: MetricHead, buckets: readonly number[]) {
    const bounds = buckets.filter((bound) => bound !== Infinity);
    invariant(isRising(bounds), `The buckets of "${head.name}" must rise`);
    invariant(
      !head.labelNames.includes("le"),
      `The histogram "${head.name}" must not have a label "le"`,
    );
    super(head, () => ({
      counts: new Array<number>(bounds.length + 1).fill(0),
      sum: 0,
    }));
    this.#bounds = bounds;
  }

  observe(value: number, labels?: MetricLabels): void {
    const distribution = this.values.at(labels);
    if (Number.isNaN(value)) return;
    const { counts } = distribution;
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = found === -1 ? this.#bounds.length : found;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    distribution.sum += value;
  }

  samples(): string[] {
    return this.values.map((distribution, labels) =>
      this.#samplesOf(distribution, labels)
    ).flat();
  }

  #samplesOf({ counts, sum }: Distribution, labels: string): string[] {
    const { name } = this.head;
    const lines: string[] = [];
    let total = 0;
    for (const [i, count] of counts.entries()) {
      total += count;
      const le = `le="${formatNumber(this.#bounds[i] ?? Infinity)}"`;
      const all = labels === "" ? le : `${labels},${le}`;
      lines.push(sample(`${name}_bucket`, all, total));
    }
    lines.push(sample(`${name}_sum`, labels, sum));
    lines.push(sample(`${name}_count`, labels, total));
    return lines;
  }
}

function isRising(bounds: readonly number[]): boolean {
  let last = -Infinity;
  for (const bound of bounds) {
    // Written so that NaN does not rise.
    if (!(bound > last)) return false;
    last = bound;
  }
  return true;
}

function sample(name: string, labels: string, value: number): string {
  const braces = labels === "" ? "" : `{${labels}}`;
  return `${name}${braces} ${formatNumber(value)}`;
}

function formatNumber(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}
