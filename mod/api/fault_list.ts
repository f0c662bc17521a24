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

/** What becomes of fields that the API does not have. */
export type UnknownFields = "refuse" | "warn";

/** How a {@linkcode FaultList} collects. */
export interface FaultListOptions {
  /** @default {"refuse"} */
  readonly unknownFields?: UnknownFields;
  /** More are only counted. @default {200} */
  readonly maxFaults?: number;
}

/**
 * Faults in the order in which they were found, and apart from them warnings.
 *
 * After 200 of either it only counts, so that a hostile file cannot fill memory or
 * logs.
 */
export class FaultList {
  readonly #unknownFields: UnknownFields;
  readonly #maxFaults: number;
  readonly #faults: Fault[] = [];
  readonly #warnings: Fault[] = [];
  readonly #settled = new Set<string>();
  #dropped = 0;
  #droppedWarnings = 0;

  constructor(options: FaultListOptions = {}) {
    this.#unknownFields = options.unknownFields ?? "refuse";
    this.#maxFaults = options.maxFaults ?? MAX_FAULTS;
  }

  /** Every warning so far, with a closing line when some were left out. */
  get warnings(): readonly Fault[] {
    if (this.#droppedWarnings === 0) return this.#warnings;
    const message = `${this.#droppedWarnings} more warnings are not shown`;
    return [...this.#warnings, { field: "", message }];
  }

  /** Everything found so far, with a closing line when some were left out. */
  get faults(): readonly Fault[] {
    if (this.#dropped === 0) return this.#faults;
    const message = `${this.#dropped} more faults are not shown`;
    return [...this.#faults, { field: "", message }];
  }

  /** True while nothing was found. */
  get isEmpty(): boolean {
    return this.#faults.length + this.#dropped === 0;
  }

  /** True once further faults are only counted: words for them are a waste. */
  get isFull(): boolean {
    return this.#faults.length >= this.#maxFaults;
  }

  /**
   * From here on nothing more is said of the fields that have a fault: what was
   * left out for being of the wrong type is not missing besides.
   */
  settle(): void {
    for (const { field } of this.#faults) this.#settled.add(field);
  }

  /** Adds a field that the API does not have. */
  addUnknown(field: string, message: string): void {
    if (this.#unknownFields === "refuse") this.add(field, message);
    else this.warn(field, `${message}; it is left out`);
  }

  /** Adds what is allowed and seldom meant. */
  warn(field: string, message: string): void {
    if (this.#warnings.length >= MAX_FAULTS) this.#droppedWarnings++;
    else this.#warnings.push({ field, message });
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
