/**
 * Settings that no log, error or dump may show.
 *
 * @module
 */

/**
 * Holds a value that only those see who ask for it by name (SE-10): written out in
 * any way, it says that it is not shown.
 */
export class Hidden<Value> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  /** The value itself, for whoever needs it and shows it to nobody. */
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
