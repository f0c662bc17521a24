/**
 * Collects faults, a bounded number of them.
 *
 * @module
 */

import type { Fault } from "./fault.ts";

/** Enough to see what is wrong with a file; more only floods the log. */
const MAX_FAULTS = 200;

/** Longer values are cut in messages. */
const MAX_SHOWN = 64;

/**
 * Faults in the order in which they were found.
 *
 * After 200 it only counts, so that a hostile file cannot fill memory or logs.
 */
export class FaultList {
  readonly #faults: Fault[] = [];
  readonly #settled = new Set<string>();
  #dropped = 0;

  /** Everything found so far, with a closing line when some were left out. */
  get faults(): readonly Fault[] {
    if (this.#dropped === 0) return this.#faults;
    const message = `${this.#dropped} more faults are not shown`;
    return [...this.#faults, { field: "", message }];
  }

  /** True while nothing was found. */
  get isEmpty(): boolean {
    return this.#faults.length === 0;
  }

  /** True once further faults are only counted: words for them are a waste. */
  get isFull(): boolean {
    return this.#faults.length >= MAX_FAULTS;
  }

  /**
   * From here on nothing more is said of the fields that have a fault: what was
   * left out for being of the wrong type is not missing besides.
   */
  settle(): void {
    for (const { field } of this.#faults) this.#settled.add(field);
  }

  /** Adds what is wrong with one field. */
  add(field: string, message: string): void {
    if (this.#settled.has(field)) return;
    if (this.isFull) this.#dropped++;
    else this.#faults.push({ field, message });
  }
}

/** Cuts a text to what fits in a message. */
export function clipText(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** The path one step up of a written path; `undefined` at the top. */
export function parentField(field: string): string | undefined {
  if (field === "") return undefined;
  const at = field.endsWith("]")
    ? field.lastIndexOf("[")
    : field.lastIndexOf(".");
  return field.slice(0, Math.max(at, 0));
}
