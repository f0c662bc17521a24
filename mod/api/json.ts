/**
 * JSON text to values, strictly, with integers exact and every value traceable to
 * its line.
 *
 * `JSON.parse` rounds integers beyond 2^53, lets the last of duplicate keys win
 * and says of an error only where it is in characters.
 *
 * @module
 */

import { clipText } from "./fault_list.ts";
import {
  lineIndex,
  MAX_DEPTH,
  MAX_NODES,
  MAX_SCALAR,
  type RawValue,
  setOwn,
  type SourceDocument,
  SourceError,
  type SourceResult,
  TOO_DEEP,
  TOO_LONG_SCALAR,
  TOO_MANY_VALUES,
} from "./source_text.ts";

/** True when the first thing in a text is an opening brace: it is taken for JSON then. */
export function looksLikeJson(text: string): boolean {
  return /^\s*\{/.test(text);
}

/** Reads the one JSON document of a text. Never throws on bad text. */
export function parseJson(text: string): SourceResult {
  try {
    const value = new Parser(text).document();
    return { kind: "ok", documents: [new JsonDocument(text, value)] };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { message, offset } = error;
    const line = lineIndex(text)(offset);
    const field = fieldAt(text);
    return { kind: "refused", fault: { field, message, line, document: 1 } };
  }
}

type Recorder = (field: string, offset: number) => void;

class JsonDocument implements SourceDocument {
  readonly value: RawValue;
  readonly #text: string;

  constructor(text: string, value: RawValue) {
    this.#text = text;
    this.value = value;
  }

  locate(): (field: string) => number | undefined {
    const offsets = new Map<string, number>();
    new Parser(this.#text, (field, offset) => offsets.set(field, offset))
      .document();
    const lineOf = lineIndex(this.#text);
    return (field) => {
      const offset = offsets.get(field);
      return offset === undefined ? undefined : lineOf(offset);
    };
  }
}

// Reads once more with field names, up to the same error.
function fieldAt(text: string): string {
  try {
    new Parser(text, () => {}).document();
  } catch (error) {
    if (error instanceof SourceError) return error.field;
    throw error;
  }
  return "";
}

/** One pass over one text. */
class Parser {
  readonly #text: string;
  readonly #record: Recorder | undefined;
  #at = 0;
  #depth = 0;
  #nodes = 0;

  constructor(text: string, record?: Recorder) {
    this.#text = text;
    this.#record = record;
  }

  document(): RawValue {
    this.#skipSpace();
    this.#record?.("", this.#at);
    const value = this.#value("");
    this.#skipSpace();
    if (this.#at < this.#text.length) {
      this.#fail("wanted nothing after the first value", "");
    }
    return value;
  }

  #value(field: string): RawValue {
    if (++this.#nodes > MAX_NODES) {
      throw new SourceError(TOO_MANY_VALUES, this.#at, { field });
    }
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(field);
      case "[":
        return this.#array(field);
      case '"':
        return this.#string(field);
      default:
        return this.#literal(field);
    }
  }

  #object(field: string): RawValue {
    const target: Record<string, RawValue> = {};
    this.#open(field);
    for (let first = true; !this.#takeIf("}"); first = false) {
      if (!first) this.#take(",", field);
      this.#skipSpace();
      const offset = this.#at;
      if (this.#text[offset] !== '"') {
        this.#fail("wanted a key in quotes", field);
      }
      const key = this.#string(field);
      const place = this.#record === undefined
        ? ""
        : this.#tellKey(field, key, offset);
      if (Object.hasOwn(target, key)) {
        const message = `Duplicate value: key "${clipText(key)}"`;
        throw new SourceError(message, offset, { field: place });
      }
      this.#take(":", place);
      setOwn(target, key, this.#value(place));
    }
    this.#depth--;
    return target;
  }

  #array(field: string): RawValue {
    const items: RawValue[] = [];
    this.#open(field);
    for (let first = true; !this.#takeIf("]"); first = false) {
      if (!first) this.#take(",", field);
      if (this.#record === undefined) {
        items.push(this.#value(""));
        continue;
      }
      this.#skipSpace();
      const place = `${field}[${items.length}]`;
      this.#record(place, this.#at);
      items.push(this.#value(place));
    }
    this.#depth--;
    return items;
  }

  #string(field: string): string {
    const start = this.#at;
    const end = this.#stringEnd(start + 1);
    if (end - start > MAX_SCALAR) {
      throw new SourceError(TOO_LONG_SCALAR, start, { field });
    }
    const text = this.#text.slice(start, end);
    // Searched, not matched as a whole: a pattern's stack is too small for megabytes.
    if (end < 0 || CONTROL.test(text)) {
      const wanted = "wanted a string that ends on its line";
      this.#fail(`${wanted} and holds no control characters`, field);
    }
    this.#at = end;
    if (!text.includes("\\")) return text.slice(1, -1);
    try {
      return String(JSON.parse(text));
    } catch {
      // Which escape it is does not matter: the line is named.
      this.#at = start;
      return this.#fail("wanted a string without unknown escapes", field);
    }
  }

  /** Where the string ends, its closing quote included; -1 when it does not. */
  #stringEnd(from: number): number {
    for (let at = from;;) {
      const quote = this.#text.indexOf('"', at);
      if (quote < 0) return -1;
      let slashes = 0;
      while (this.#text[quote - 1 - slashes] === "\\") slashes++;
      if (slashes % 2 === 0 || quote - slashes < from) return quote + 1;
      at = quote + 1;
    }
  }

  #literal(field: string): RawValue {
    LITERAL.lastIndex = this.#at;
    const match = LITERAL.exec(this.#text);
    if (match === null) this.#fail("wanted a value", field);
    const [text, integer] = match;
    this.#at += text.length;
    if (text === "true") return true;
    if (text === "false") return false;
    if (text === "null") return null;
    const value = Number(text);
    if (integer !== undefined && Number.isSafeInteger(value)) {
      return value === 0 ? 0 : value;
    }
    if (integer !== undefined && integer.length <= 64) return BigInt(integer);
    if (!Number.isFinite(value)) this.#fail("the number is too large", field);
    return value;
  }

  #open(field: string): void {
    this.#at++;
    if (++this.#depth > MAX_DEPTH) {
      throw new SourceError(TOO_DEEP, this.#at, { field });
    }
  }

  #take(char: string, field: string): void {
    if (!this.#takeIf(char)) this.#fail(`wanted "${char}"`, field);
  }

  #takeIf(char: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    for (;; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
    }
  }

  #tellKey(field: string, key: string, offset: number): string {
    const place = field === "" ? key : `${field}.${key}`;
    // Faults write entries of maps in brackets and fields behind a dot.
    this.#record?.(place, offset);
    this.#record?.(`${field}[${key}]`, offset);
    return place;
  }

  #fail(wanted: string, field: string): never {
    const found = this.#at < this.#text.length
      ? `found ${JSON.stringify(this.#text.slice(this.#at, this.#at + 10))}`
      : "found the end of the text";
    const message = `Invalid value: not valid JSON: ${found}, ${wanted}`;
    throw new SourceError(message, this.#at, { field });
  }
}

// deno-lint-ignore no-control-regex -- JSON forbids them unescaped
const CONTROL = /[\u0000-\u001f]/;
const LITERAL =
  /true|false|null|(-?(?:0|[1-9][0-9]*))(?![0-9.eE])|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
