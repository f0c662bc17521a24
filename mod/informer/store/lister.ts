/**
 * Finding objects in a store by what people call them.
 *
 * @module
 */

import { matchesLabels } from "../../api/access/mod.ts";
import type { ApiObject, LabelSelector } from "../../api/workload/mod.ts";
import { NAMESPACE_INDEX, type ObjectReader } from "./object_index.ts";
import { storeKey } from "./object_sink.ts";

/** Which objects are listed. */
export interface ListerOptions {
  /** @default every namespace */
  readonly namespace?: string;
  /** @default whatever the labels are; `{}` also means all */
  readonly labels?: LabelSelector;
}

/** Reads what a store holds; never waits. What it gives is shared: nobody may alter it. */
export class Lister<T extends ApiObject> {
  readonly #store: ObjectReader<T>;

  constructor(store: ObjectReader<T>) {
    this.#store = store;
  }

  /** The object of a name; an empty namespace is that of what has none. */
  get(namespace: string, name: string): T | undefined {
    return this.#store.get(storeKey(namespace, name));
  }

  /** All objects that are meant. */
  list({ namespace, labels }: ListerOptions = {}): readonly T[] {
    const all = namespace === undefined
      ? this.#store.list()
      : this.#store.byIndex(NAMESPACE_INDEX, namespace);
    return labels === undefined
      ? all
      : all.filter(({ metadata }) => matchesLabels(labels, metadata.labels));
  }

  /** The objects that an index has under a value. */
  byIndex(index: string, value: string): readonly T[] {
    return this.#store.byIndex(index, value);
  }
}
