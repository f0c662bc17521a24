/**
 * A map that forgets what was not used for longest.
 *
 * @module
 */

/** Holds at most `capacity` entries. */
export class LruMap<K, V> {
  readonly #capacity: number;
  /** The one used longest ago first. */
  readonly #entries = new Map<K, V>();

  /** An empty map. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** How many entries there are. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value of `key`; looking does not count as use. */
  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Sets a value and makes it the latest one used. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
