/**
 * The values of one metric, one for each combination of labels.
 *
 * @module
 */

// More series of one metric than any dashboard shows. What drives a label is
// often the number of pods, and a node has a few hundred.
const MAX_LABEL_SETS = 1000;
const FOLDED = "other";

interface LabelledValue<V> {
  /** The labels as they are written between the braces. */
  readonly labels: string;
  readonly value: V;
}

/** A bounded map from labels to a value that can be changed in place. */
export class LabelSets<V> {
  readonly #name: string;
  readonly #names: readonly string[];
  readonly #make: () => V;
  readonly #limit: number;
  readonly #entries = new Map<string, LabelledValue<V>>();

  /** Makes values with `make`; the only one at once when there are no labels. */
  constructor(
    metric: {
      readonly name: string;
      readonly labelNames: readonly string[];
      readonly maxLabelSets?: number;
    },
    make: () => V,
  ) {
    this.#name = metric.name;
    this.#names = metric.labelNames;
    this.#make = make;
    this.#limit = metric.maxLabelSets ?? MAX_LABEL_SETS;
    // Readers want to see a zero before the first event.
    if (this.#names.length === 0) this.at();
  }

  /**
   * The value of these labels, made if need be; that of `other` when full.
   *
   * @throws {TypeError} When the labels are not those of the metric.
   */
  at(labels?: Readonly<Record<string, string>>): V {
    const values = this.#order(labels);
    const known = this.#entries.get(keyOf(values));
    if (known !== undefined) return known.value;
    if (this.#entries.size < this.#limit) return this.#add(values);
    const folded = this.#names.map(() => FOLDED);
    return this.#entries.get(keyOf(folded))?.value ?? this.#add(folded);
  }

  /** Forgets the value of these labels. */
  delete(labels: Readonly<Record<string, string>>): void {
    this.#entries.delete(keyOf(this.#order(labels)));
  }

  /** Goes through the values with their labels as written. */
  map<R>(use: (value: V, labels: string) => R): R[] {
    return Array.from(
      this.#entries.values(),
      (entry) => use(entry.value, entry.labels),
    );
  }

  #add(values: readonly string[]): V {
    const value = this.#make();
    const labels = this.#names.map((name, i) =>
      `${name}="${escapeLabel(values[i] ?? "")}"`
    ).join(",");
    this.#entries.set(keyOf(values), { labels, value });
    return value;
  }

  #order(labels: Readonly<Record<string, string>> = {}): string[] {
    const values = this.#names.map((name) => labels[name]);
    const complete = values.every((value) => value !== undefined);
    if (!complete || Object.keys(labels).length !== values.length) {
      throw new TypeError(
        `Cannot count "${this.#name}": the labels are "${
          Object.keys(labels).join()
        }", wanted are "${this.#names.join()}"`,
      );
    }
    return values;
  }
}

function keyOf(values: readonly string[]): string {
  return values.length === 1 ? values[0] ?? "" : JSON.stringify(values);
}

function escapeLabel(text: string): string {
  return text.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"')
    .replaceAll("\n", "\\n");
}
