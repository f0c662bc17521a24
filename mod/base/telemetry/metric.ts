/**
 * The kinds of metrics, each with the lines it is rendered as.
 *
 * @module
 */

import { invariant } from "../mod.ts";
import { LabelSets } from "./label_sets.ts";

/** The labels of one value: exactly the names the metric was made with. */
export type MetricLabels = Readonly<Record<string, string>>;

/** A number that only rises. */
export interface Counter {
  /**
   * Adds to the value.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   * @throws {RangeError} When `by` is negative or not a number.
   */
  inc(labels?: MetricLabels, by?: number): void;
  /**
   * Forgets the value of a label set, such as of a pod that is gone.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   */
  delete(labels: MetricLabels): void;
}

/** A number that is what it is now. */
export interface Gauge {
  /**
   * Replaces the value.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   */
  set(value: number, labels?: MetricLabels): void;
  /**
   * Forgets the value of a label set, such as of a pod that is gone.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   */
  delete(labels: MetricLabels): void;
}

/** How a quantity is spread, such as how long something took. */
export interface Histogram {
  /**
   * Counts one value, given in the unit of the metric; NaN is left out.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   */
  observe(value: number, labels?: MetricLabels): void;
  /**
   * Forgets what was counted of a label set, such as of a pod that is gone.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   */
  delete(labels: MetricLabels): void;
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
  /** Brings its values up to date. */
  collect(): void;
  /** One line for each value. */
  samples(): string[];
}

/** A counter as the registry keeps it. */
export class CounterMetric implements Counter, Metric {
  readonly kind = "counter";
  readonly head: MetricHead;
  readonly #values: LabelSets<{ value: number }>;

  constructor(head: MetricHead) {
    this.head = head;
    this.#values = new LabelSets(head, () => ({ value: 0 }));
  }

  inc(labels?: MetricLabels, by: number = 1): void {
    if (!(by >= 0)) {
      throw new RangeError(
        `Cannot count "${this.head.name}": "${by}" was given, a number of at least 0 is needed`,
      );
    }
    this.#values.at(labels).value += by;
  }

  delete(labels: MetricLabels): void {
    this.#values.delete(labels);
  }

  collect(): void {}

  samples(): string[] {
    return this.#values.map(({ value }, labels) =>
      sample(this.head.name, labels, value)
    );
  }
}

/** A gauge as the registry keeps it. */
export class GaugeMetric implements Gauge, Metric {
  readonly kind = "gauge";
  readonly head: MetricHead;
  readonly collect: () => void;
  readonly #values: LabelSets<{ value: number }>;

  constructor(head: MetricHead, collect: () => void = () => {}) {
    this.head = head;
    this.collect = collect;
    this.#values = new LabelSets(head, () => ({ value: 0 }));
  }

  set(value: number, labels?: MetricLabels): void {
    this.#values.at(labels).value = value;
  }

  delete(labels: MetricLabels): void {
    this.#values.delete(labels);
  }

  samples(): string[] {
    return this.#values.map(({ value }, labels) =>
      sample(this.head.name, labels, value)
    );
  }
}

interface Distribution {
  // How many fell into each bucket and no lower one; the last is +Inf.
  readonly counts: number[];
  sum: number;
}

/** A histogram as the registry keeps it. */
export class HistogramMetric implements Histogram, Metric {
  readonly kind = "histogram";
  readonly head: MetricHead;
  readonly #bounds: readonly number[];
  readonly #values: LabelSets<Distribution>;

  constructor(head: MetricHead, buckets: readonly number[]) {
    const bounds = buckets.filter((bound) => bound !== Infinity);
    invariant(isRising(bounds), `The buckets of "${head.name}" must rise`);
    invariant(
      !head.labelNames.includes("le"),
      `The histogram "${head.name}" must not have a label "le"`,
    );
    this.head = head;
    this.#bounds = bounds;
    this.#values = new LabelSets(head, () => ({
      counts: new Array<number>(bounds.length + 1).fill(0),
      sum: 0,
    }));
  }

  observe(value: number, labels?: MetricLabels): void {
    const distribution = this.#values.at(labels);
    if (Number.isNaN(value)) return;
    const { counts } = distribution;
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = found === -1 ? this.#bounds.length : found;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    distribution.sum += value;
  }

  delete(labels: MetricLabels): void {
    this.#values.delete(labels);
  }

  collect(): void {}

  samples(): string[] {
    return this.#values.map((distribution, labels) =>
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
