/**
 * Values that no log, error or dump may show.
 *
 * @module
 */

/**
 * Holds a secret (SE-10). Written out in any way, it says that it is not shown; only
 * {@linkcode Hidden.reveal} gives the value.
 */
export class Hidden<Value> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  /** The value itself; it must not be shown. */
  reveal(): Value {
    return this.#value;
  }

  /** Says that there is something. */
  toString(): string {
    return NOT_SHOWN;
  }

  /** Says that there is something. */
  toJSON(): string {
    return NOT_SHOWN;
  }
}

/** Stands where a value would be shown. */
export const NOT_SHOWN = "(not shown)";
