/**
 * The way to a field while a text is read, and the search for where fields are written.
 *
 * @module
 */

import { UNMETERED, type WorkMeter } from "../../base/mod.ts";

/**
 * Finds the offsets of some fields in one walk over a document.
 *
 * Only what is looked for is remembered: a table of all paths would grow with the
 * size of a text times its depth.
 */
export class FieldSearch {
  readonly #wanted: readonly WantedField[];
  readonly #meter: WorkMeter;

  /** @param fields as faults write them: `spec.containers[0].image` */
  constructor(fields: ReadonlySet<string>, meter: WorkMeter = UNMETERED) {
    this.#wanted = [...fields].map((field) => new WantedField(field));
    this.#meter = meter;
  }

  /** The way to the document as a whole, where every search begins. */
  root(): FieldTrail {
    const cursors = this.#wanted.map((wanted) => ({ wanted, end: 0 }));
    return new FieldTrail({ cursors, meter: this.#meter });
  }

  /** Where each field is written; one that is not there has the place of what encloses it. */
  offsets(): ReadonlyMap<string, number> {
    return new Map(
      this.#wanted.map(({ field, offset }) => [field, offset]),
    );
  }
}

/** One field that is looked for, and the closest to it so far. */
class WantedField {
  readonly field: string;
  offset = 0;
  #found = -1;
  #isMerged = false;

  constructor(field: string) {
    this.field = field;
  }

  /** Takes a place where the first `end` characters of the field are written. */
  note(end: number, offset: number, isMerged: boolean): void {
    // What a mapping says itself outranks what is merged into it, and of several
    // mappings that are merged the first one wins.
    const isOwn = this.#isMerged && !isMerged;
    if (!isOwn && end < this.#found) return;
    if (end === this.#found && isMerged) return;
    this.#found = end;
    this.#isMerged = isMerged;
    this.offset = offset;
  }

  /** How the step behind the first `end` characters begins. */
  startAfter(end: number): string {
    const { field } = this;
    if (field[end] === "[") return `[${upTo("]", field, end + 1)}`;
    return `.${upTo(".[", field, end === 0 ? 0 : end + 1)}`;
  }

  /** The end of `key` behind the first `from` characters, if it is what stands there. */
  after(key: string, from: number, isName: boolean): number | undefined {
    const { field } = this;
    if (isName && field[from] !== "[") {
      const start = from === 0 ? 0 : from + 1;
      if (from > 0 && field[from] !== ".") return undefined;
      const end = start + key.length;
      const next = field[end];
      const isWhole = next === undefined || next === "." || next === "[";
      return isWhole && field.startsWith(key, start) ? end : undefined;
    }
    const end = from + key.length + 1;
    const isThere = field[from] === "[" && field[end] === "]" &&
      field.startsWith(key, from + 1);
    return isThere ? end + 1 : undefined;
  }
}

// Two hundred levels of long keys are no path that anybody reads.
const MAX_WRITTEN = 1024;

interface Cursor {
  readonly wanted: WantedField;
  /** How many characters of the wanted field the way has. */
  readonly end: number;
}

interface Step {
  readonly parent?: FieldTrail;
  readonly key?: string;
  readonly isName?: boolean;
  readonly cursors: readonly Cursor[];
  readonly meter: WorkMeter;
}

/** The path to one field. Written out only when its name is asked for. */
export class FieldTrail {
  readonly #step: Step;
  /** The cursors by how their next step begins. */
  #groups: ReadonlyMap<string, readonly Cursor[]> | undefined;

  /** Use {@linkcode FieldSearch.root} or {@linkcode rootTrail}, and go down from there. */
  constructor(step: Step) {
    this.#step = step;
  }

  /** The entry `key` of this mapping. */
  child(key: string): FieldTrail {
    return this.#below(key, true);
  }

  /** Item `position` of this list, counted from 0. */
  index(position: number): FieldTrail {
    return this.#below(String(position), false);
  }

  /** Says where this field is written. */
  recordOffset(
    offset: number,
    options: { readonly isMerged?: boolean } = {},
  ): void {
    const { isMerged = false } = options;
    for (const { wanted, end } of this.#step.cursors) {
      wanted.note(end, offset, isMerged);
    }
  }

  /** Writes the path: `spec.containers[0].image`; of a very long one its two ends. */
  toString(): string {
    const steps = [this.#step];
    for (let above = this.#step.parent; above !== undefined;) {
      steps.push(above.#step);
      above = above.#step.parent;
    }
    let text = "";
    for (const { key, isName } of steps.reverse()) {
      if (key === undefined) continue;
      text += isName !== true ? `[${key}]` : text === "" ? key : `.${key}`;
    }
    if (text.length <= MAX_WRITTEN) return text;
    const half = MAX_WRITTEN / 2;
    return `${text.slice(0, half)}…${text.slice(-half)}`.toWellFormed();
  }

  #below(key: string, isName: boolean): FieldTrail {
    const { meter } = this.#step;
    const near = [
      ...this.#startingWith(`[${upTo("]", key)}`),
      ...(isName ? this.#startingWith(`.${upTo(".[", key)}`) : []),
    ];
    meter.spend(1 + near.length);
    const cursors = near.flatMap(({ wanted, end }): Cursor[] => {
      const next = wanted.after(key, end, isName);
      return next === undefined ? [] : [{ wanted, end: next }];
    });
    return new FieldTrail({ parent: this, key, isName, cursors, meter });
  }

  /** The cursors whose next step may be one that begins so: two hundred for each of 50,000 items would be many. */
  #startingWith(start: string): readonly Cursor[] {
    const { cursors, meter } = this.#step;
    if (cursors.length === 0) return cursors;
    if (this.#groups === undefined) {
      meter.spend(cursors.length);
      this.#groups = Map.groupBy(
        cursors,
        ({ wanted, end }) => wanted.startAfter(end),
      );
    }
    return this.#groups.get(start) ?? [];
  }
}

/** What stands before the first of some characters, or before the end. */
function upTo(ends: string, text: string, from: number = 0): string {
  let end = from;
  while (end < text.length && !ends.includes(text[end] ?? "")) end++;
  return text.slice(from, end);
}

/** The path to a document as a whole, for callers that want names only. */
export function rootTrail(): FieldTrail {
  return new FieldSearch(new Set()).root();
}
