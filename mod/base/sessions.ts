/**
 * What many parts keep under one key, and forget together.
 *
 * @module
 */

/**
 * Owns everything that is kept by key as long as the session of the key lasts.
 *
 * Each part asks for a map of its own at its construction and uses it as any other. Who
 * lets a key go calls {@linkcode delete}, also where a late look began a session again.
 */
export class Sessions {
  readonly #maps: Map<string, unknown>[] = [];
  readonly #ends: ((key: string) => void)[] = [];

  /** A map whose entry goes with its key's session; a disposable value is disposed of. */
  map<V>(): Map<string, V> {
    const map = new Map<string, V>();
    this.#maps.push(map);
    return map;
  }

  /** Has `end` called with the key of each session that ends, after its maps are empty. */
  onEnd(end: (key: string) => void): void {
    this.#ends.push(end);
  }

  /** Ends the session of a key: no map has an entry for it any more. */
  delete(key: string): void {
    for (const map of this.#maps) {
      const value = map.get(key);
      map.delete(key);
      if (isDisposable(value)) value[Symbol.dispose]();
    }
    for (const end of this.#ends) end(key);
  }

  /** Every key of which something is kept. */
  keys(): ReadonlySet<string> {
    return new Set(this.#maps.flatMap((map) => [...map.keys()]));
  }
}

function isDisposable(value: unknown): value is Disposable {
  return typeof value === "object" && value !== null && Symbol.dispose in value;
}
