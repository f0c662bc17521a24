/**
 * Collects faults, a bounded number of them.
 *
 * @module
 */

import { UNMETERED, type WorkMeter } from "../../base/mod.ts";

/** Enough to see what is wrong with a file; more only floods the log. */
export const MAX_FAULTS = 200;

/** Longer values are cut in messages. */
const MAX_SHOWN = 64;

/** What becomes of fields that the API does not have. */
export type UnknownFields = "refuse" | "warn";

/** How many more faults and warnings get words, in all lists of one text together. */
export class FaultBudget {
  #faults = MAX_FAULTS;
  #warnings = MAX_FAULTS;

  /** True while there is room for a fault. */
  get hasRoom(): boolean {
    return this.#faults > 0;
  }

  /** Takes the room of one; false when there is none. */
  take(kind: "fault" | "warning"): boolean {
    if (kind === "fault") return this.#faults > 0 && this.#faults-- > 0;
    return this.#warnings > 0 && this.#warnings-- > 0;
  }
}

/** How a {@linkcode FaultList} collects. */
export interface FaultListOptions {
  /** @default {"refuse"} */
  readonly unknownFields?: UnknownFields;
  /** Shared by the lists of one text; alone a list has one of its own. */
  readonly budget?: FaultBudget;
  readonly meter?: WorkMeter;
}

/**
 * Faults in the order in which they were found, and apart from them warnings.
 *
 * After 200 of either in one text it only counts, so that a hostile file cannot fill
 * memory or logs.
 */
export class FaultList {
  readonly #unknownFields: UnknownFields;
  readonly #budget: FaultBudget;
  /** Counts each place that is looked at. */
  readonly meter: WorkMeter;
  readonly #faults: Fault[] = [];
  readonly #warnings: Fault[] = [];
  readonly #settled = new Set<string>();
  #dropped = 0;
  #droppedWarnings = 0;

  constructor(options: FaultListOptions = {}) {
    this.#unknownFields = options.unknownFields ?? "refuse";
    this.#budget = options.budget ?? new FaultBudget();
    this.meter = options.meter ?? UNMETERED;
  }

  /** Every warning so far that got words. */
  get warnings(): readonly Fault[] {
    return this.#warnings;
  }

  /** Every fault so far that got words. */
  get faults(): readonly Fault[] {
    return this.#faults;
  }

  /** How many got none. */
  get dropped(): { readonly faults: number; readonly warnings: number } {
    return { faults: this.#dropped, warnings: this.#droppedWarnings };
  }

  /** True while nothing was found. */
  get isEmpty(): boolean {
    return this.#faults.length + this.#dropped === 0;
  }

  /** True once further faults are only counted: words for them are a waste. */
  get isFull(): boolean {
    return !this.#budget.hasRoom;
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
    if (this.#budget.take("warning")) this.#warnings.push({ field, message });
    else this.#droppedWarnings++;
  }

  /** Adds what is wrong with one field. */
  add(field: string, message: string): void {
    if (this.#settled.has(field)) return;
    if (this.#budget.take("fault")) this.#faults.push({ field, message });
    else this.#dropped++;
  }
}

/** Says how many were left out; nothing when none was. */
export function closingLine(
  count: number,
  what: "faults" | "warnings",
): readonly Fault[] {
  return count <= 0
    ? []
    : [{ field: "", message: `${count} more ${what} are not shown` }];
}

/** Cuts a text to what fits in a message. */
export function clipText(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** One thing that is wrong with a manifest. */
export interface Fault {
  /** The field's path, such as `spec.containers[0].image`; empty for the document as a whole. */
  readonly field: string;
  /** In the API server's style: `Invalid value: "x": must be …`. */
  readonly message: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based position of the document in its file. */
  readonly document?: number;
}

/**
 * Writes a fault on one line: `document 2, line 7: spec.hostname: Invalid value: …`.
 *
 * The document is left out where the fault names none.
 */
export function formatFault(fault: Fault): string {
  const place: string[] = [];
  if (fault.document !== undefined) place.push(`document ${fault.document}`);
  if (fault.line !== undefined) place.push(`line ${fault.line}`);
  const parts = [place.join(", "), fault.field, fault.message];
  return parts.filter((part) => part !== "").join(": ");
}
