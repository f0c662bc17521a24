/**
 * Where the fields of a document are written.
 *
 * @module
 */

import type { WorkMeter } from "../../base/mod.ts";
import type { TextLines } from "./source_text.ts";

/** One field as it is written, with the fields and items in it. */
export class WrittenField {
  /** Where it begins, in UTF-16 units from the start of the text. */
  readonly offset: number;
  #parts: Map<string, WrittenField> | undefined;
  /** Of the names of all parts; known once a path leads here. */
  #lengths: ReadonlySet<number> | undefined;

  constructor(offset: number) {
    this.offset = offset;
  }

  /** Adds the field `key`, or the item of that position; the last one of a name counts. */
  add(key: string | number, offset: number): WrittenField {
    const part = new WrittenField(offset);
    this.#set(`${key}`, part);
    return part;
  }

  /** Has all parts of another, as an alias has those of its anchor. */
  share(other: WrittenField): void {
    this.#parts = other.#parts;
  }

  /** Takes one part of another, as a mapping takes what is merged into it. */
  adopt(key: string, other: WrittenField | undefined): void {
    const part = other?.part(key);
    if (part !== undefined) this.#set(key, part);
  }

  part(key: string): WrittenField | undefined {
    return this.#parts?.get(key);
  }

  /**
   * Where a field below this one is written, or what encloses it.
   *
   * @param field as faults write it: `spec.containers[0].image`
   */
  offsetOf(field: string, meter: WorkMeter): number {
    return this.#nearest(field, 0, meter).offset;
  }

  /** The part that the longest way along a path leads to, and where that way ends. */
  #nearest(field: string, from: number, meter: WorkMeter): Nearest {
    let nearest: Nearest = { offset: this.offset, end: from };
    if (from >= field.length) return nearest;
    for (const { part, end } of this.#partsAt(field, from, meter)) {
      const below = part.#nearest(field, end, meter);
      if (below.end > nearest.end) nearest = below;
      if (nearest.end >= field.length) break;
    }
    return nearest;
  }

  /** The parts whose names stand at a place in a path, and where each way ends. */
  *#partsAt(
    field: string,
    from: number,
    meter: WorkMeter,
  ): Generator<{ readonly part: WrittenField; readonly end: number }> {
    const lengths = this.#lengths ??= this.#nameLengths(meter);
    for (const { start, close } of stepsAt(field, from)) {
      meter.spend(lengths.size);
      for (const length of lengths) {
        const behind = start + length;
        const end = behind + close.length;
        // A name may hold what parts the steps of a path.
        const isWhole = end === field.length ||
          ".[".includes(field[end] ?? "x");
        if (!isWhole || !field.startsWith(close, behind)) continue;
        const part = this.part(field.slice(start, behind));
        if (part !== undefined) yield { part, end };
      }
    }
  }

  /** Few, where names are many: to compare a path with each name takes too long. */
  #nameLengths(meter: WorkMeter): ReadonlySet<number> {
    const names = [...this.#parts?.keys() ?? []];
    meter.spend(names.length);
    return new Set(names.map(({ length }) => length));
  }

  #set(key: string, part: WrittenField): void {
    this.#parts ??= new Map();
    this.#parts.set(key, part);
  }
}

/** One field along a path, and how much of the path leads to it. */
interface Nearest {
  readonly offset: number;
  readonly end: number;
}

/** Where a name may begin at a place in a path, and what closes it; the first has no dot before it. */
function stepsAt(
  field: string,
  from: number,
): readonly { readonly start: number; readonly close: string }[] {
  const key = { start: from + 1, close: "]" };
  const name = { start: from === 0 ? 0 : from + 1, close: "" };
  if (field[from] !== "[") return [name];
  return from === 0 ? [name, key] : [key];
}

/** The lines that fields of a document are written on, each by its path. */
export function linesOf(
  fields: ReadonlySet<string>,
  document: WrittenField,
  lines: TextLines,
): ReadonlyMap<string, number> {
  return new Map([...fields].map((field) => {
    const offset = document.offsetOf(field, lines.meter);
    return [field, lines.lineOf(offset)];
  }));
}

// No reader needs a path of two hundred levels of long keys.
const MAX_WRITTEN = 1024;

/** Writes a path: `spec.containers[0].image`; of a very long one its two ends. */
export function pathText(steps: readonly (string | number)[]): string {
  const text = steps.map((step) =>
    typeof step === "number" ? `[${step}]` : `.${step}`
  ).join("").replace(/^\./, "");
  if (text.length <= MAX_WRITTEN) return text;
  const half = MAX_WRITTEN / 2;
  return `${text.slice(0, half)}…${text.slice(-half)}`.toWellFormed();
}
