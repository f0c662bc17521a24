/**
 * A metric of any kind, and the lines it is rendered as.
 *
 * @module
 */

import { invariant } from "../mod.ts";
import { LabelSets } from "./label_sets.ts";

/** The labels of one value: exactly the names that the metric was made with, else a TypeError is thrown. */
export type MetricLabels = Readonly<Record<string, string>>;

interface Labelled {
  /** Forgets the value of a label set, such as of a pod that is gone. */
  delete(labels: MetricLabels): void;
}

/** A number that only rises. */
export interface Counter extends Labelled {
  /** Adds to the value. @throws {RangeError} When `by` is negative or not a number. */
  inc(labels?: MetricLabels, by?: number): void;
}

/** A number that is what it is now. */
export interface Gauge extends Labelled {
  /** Replaces the value. */
  set(value: number, labels?: MetricLabels): void;
}

/** How a quantity is spread, such as how long something took. */
export interface Histogram extends Labelled {
  /** Counts one value, given in the unit of the metric; NaN is left out. */
  observe(value: number, labels?: MetricLabels): void;
}

/** What a metric is known by. */
export interface MetricHead {
  /** The word of the `# TYPE` line. */
  readonly kind: "counter" | "gauge" | "histogram";
  /** As Prometheus knows it, with its unit: `skerry_relist_duration_seconds`. */
  readonly name: string;
  /** What it counts, in one sentence. */
  readonly help: string;
  readonly labelNames: readonly string[];
  /** How many label sets it holds before the rest is folded into one. */
  readonly maxLabelSets?: number;
  /** The upper bounds of a histogram, in rising order. */
  readonly buckets?: readonly number[];
}

interface MetricValue {
  /** The sum of a histogram's observations. */
  value: number;
  /** How many fell into each bucket and no lower one; the last is +Inf. */
  readonly counts: number[];
}

/** A metric as the registry keeps it; its kind says which of its methods are offered. */
export class Metric implements Counter, Gauge, Histogram {
  /** What it is known by. */
  readonly head: MetricHead;
  readonly #bounds: readonly number[];
  readonly #values: LabelSets<MetricValue>;

  constructor(head: MetricHead) {
    const { name, labelNames, buckets = [] } = head;
    const bounds = buckets.filter((bound) => bound !== Infinity);
    invariant(isRising(bounds), `The buckets of "${name}" must rise`);
    invariant(
      head.kind !== "histogram" || !labelNames.includes("le"),
      `The histogram "${name}" must not have a label "le"`,
    );
    this.head = head;
    this.#bounds = bounds;
    const bucketCount = head.kind === "histogram" ? bounds.length + 1 : 0;
    this.#values = new LabelSets(head, () => ({
      value: 0,
      counts: new Array<number>(bucketCount).fill(0),
    }));
  }

  inc(labels?: MetricLabels, by: number = 1): void {
    if (!(by >= 0)) {
      throw new RangeError(
        `Cannot count "${this.head.name}": "${by}" was given, a number of at least 0 is needed`,
      );
    }
    this.#values.at(labels).value += by;
  }

  set(value: number, labels?: MetricLabels): void {
    this.#values.at(labels).value = value;
  }

  observe(value: number, labels?: MetricLabels): void {
    const found = this.#values.at(labels);
    if (Number.isNaN(value)) return;
    const index = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = index === -1 ? this.#bounds.length : index;
    found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
    found.value += value;
  }

  delete(labels: MetricLabels): void {
    this.#values.delete(labels);
  }

  /** One line for each value. */
  samples(): string[] {
    const { name, kind } = this.head;
    return this.#values.map((value, labels) =>
      kind === "histogram"
        ? this.#bucketSamples(value, labels)
        : [sample(name, labels, value.value)]
    ).flat();
  }

  #bucketSamples({ counts, value }: MetricValue, labels: string): string[] {
    const { name } = this.head;
    const lines: string[] = [];
    let total = 0;
    for (const [i, count] of counts.entries()) {
      total += count;
      const le = `le="${formatNumber(this.#bounds[i] ?? Infinity)}"`;
      const all = labels === "" ? le : `${labels},${le}`;
      lines.push(sample(`${name}_bucket`, all, total));
    }
    lines.push(sample(`${name}_sum`, labels, value));
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
