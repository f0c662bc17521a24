/**
 * Where the values of a YAML or JSON text are written, with their ends.
 *
 * @module
 */

import { type Event, EVENT_ID, getScalarValue } from "js-yaml";
import { yamlEvents } from "../../api/text/mod.ts";

/** A value as it is written. */
export type WrittenNode = WrittenScalar | WrittenMap | WrittenList | {
  readonly kind: "other";
  readonly end: number;
};

/** A scalar with its quotes. */
export interface WrittenScalar {
  readonly kind: "scalar";
  readonly start: number;
  readonly end: number;
}

/** A mapping. */
export interface WrittenMap {
  readonly kind: "map";
  readonly isFlow: boolean;
  readonly start: number;
  readonly end: number;
  readonly entries: readonly WrittenEntry[];
}

/** A list. */
export interface WrittenList {
  readonly kind: "list";
  readonly isFlow: boolean;
  readonly end: number;
  readonly items: readonly WrittenNode[];
}

/** A key with its value. */
export interface WrittenEntry {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly value: WrittenNode;
}

/**
 * Finds where the documents of a text are written; the text was parsed within bounds
 * before.
 */
export function writtenDocuments(text: string): readonly WrittenNode[] {
  const reader = new TreeReader(text, yamlEvents(text));
  return reader.documents();
}

// js-yaml's styles.
const FLOW = 2;
const SINGLE = 2;
const DOUBLE = 3;

class TreeReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  #at = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  documents(): readonly WrittenNode[] {
    const documents: WrittenNode[] = [];
    while (this.#at < this.#events.length) {
      // The begin, the value and the end of a document.
      this.#at++;
      documents.push(this.#node());
      this.#at++;
    }
    return documents;
  }

  #node(): WrittenNode {
    const event = this.#events[this.#at++];
    switch (event?.type) {
      case EVENT_ID.SCALAR:
        return scalarOf(event);
      case EVENT_ID.MAPPING: {
        const entries: WrittenEntry[] = [];
        while (!this.#isEnd()) entries.push(this.#entry());
        this.#at++;
        const { start } = event;
        const isFlow = event.style === FLOW;
        const inner = entries.at(-1);
        const last = inner === undefined
          ? start + 1
          : Math.max(inner.keyEnd, inner.value.end);
        const end = isFlow ? this.#closed(last, "}") : last;
        return isPlain(event)
          ? { kind: "map", isFlow, start, end, entries }
          : { kind: "other", end };
      }
      case EVENT_ID.SEQUENCE: {
        const items: WrittenNode[] = [];
        while (!this.#isEnd()) items.push(this.#node());
        this.#at++;
        const isFlow = event.style === FLOW;
        const last = Math.max(event.start + 1, items.at(-1)?.end ?? 0);
        const end = isFlow ? this.#closed(last, "]") : last;
        return isPlain(event)
          ? { kind: "list", isFlow, end, items }
          : { kind: "other", end };
      }
      case EVENT_ID.ALIAS:
        return { kind: "other", end: event.anchorEnd };
      default:
        return { kind: "other", end: 0 };
    }
  }

  #entry(): WrittenEntry {
    const key = this.#events[this.#at];
    const written = this.#node();
    const isScalar = key?.type === EVENT_ID.SCALAR && written.kind === "scalar";
    const value = this.#node();
    return isScalar
      ? {
        key: getScalarValue(this.#text, key),
        keyStart: written.start,
        keyEnd: written.end,
        value,
      }
      // What has no plain key is never looked for.
      : { key: "", keyStart: -1, keyEnd: written.end, value };
  }

  #isEnd(): boolean {
    const event = this.#events[this.#at];
    return event === undefined || event.type === EVENT_ID.POP;
  }

  /** Behind the bracket that closes what ends before it. */
  #closed(from: number, bracket: string): number {
    let at = from;
    while (at < this.#text.length && this.#text[at] !== bracket) {
      // A comment may hold a bracket.
      if (this.#text[at] === "#") {
        const end = this.#text.indexOf("\n", at);
        at = end === -1 ? this.#text.length : end;
      } else at++;
    }
    return at + 1;
  }
}

type ScalarOrCollection = Exclude<Event, { readonly type: 1 | 5 | 6 }>;

/** Whether neither an anchor nor a tag belongs to it. */
function isPlain(event: ScalarOrCollection): boolean {
  return event.anchorStart < 0 && event.tagStart < 0;
}

function scalarOf(
  event: Extract<Event, { readonly valueStart: number }>,
): WrittenNode {
  const { style, valueStart, valueEnd } = event;
  const quotes = style === SINGLE || style === DOUBLE ? 1 : 0;
  // Blocks of text have lines of their own, and what is empty has no place.
  const isPlace = isPlain(event) && valueStart >= 0 && style <= DOUBLE;
  return isPlace
    ? { kind: "scalar", start: valueStart - quotes, end: valueEnd + quotes }
    : { kind: "other", end: Math.max(valueEnd, 0) };
}
