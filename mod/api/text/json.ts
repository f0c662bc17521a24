/**
 * JSON text to values, strictly, with integers exact and every value traceable to
 * its line.
 *
 * `JSON.parse` rounds integers beyond 2^53, lets the last of duplicate keys win
 * and says of an error only where it is in characters.
 *
 * @module
 */

import { UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { clipText } from "../fault/mod.ts";
import {
  MAX_DEPTH,
  MAX_KEY,
  MAX_NODES,
  MAX_SCALAR,
  type RawValue,
  refusal,
  setOwn,
  type SourceDocument,
  SourceError,
  type SourceResult,
  TextLines,
  TOO_LONG,
} from "./source_text.ts";
import { linesOf, pathText, WrittenField } from "./written_field.ts";

/** True when the first thing in a text is an opening brace: it is taken for JSON then. */
export function looksLikeJson(text: string): boolean {
  return text.trimStart().startsWith("{");
}

/** Reads the one JSON document of a text. Never throws on bad text. */
export function parseJson(
  text: string,
  meter: WorkMeter = UNMETERED,
): SourceResult {
  const lines = new TextLines(text, meter);
  try {
    const value = new Parser(text, meter).document();
    const locate: SourceDocument["locate"] = (fields) =>
      linesOf(fields, new Parser(text, meter).places(), lines);
    return { kind: "ok", documents: [{ value, locate }] };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { message, field, unquoted } = error;
    const line = lines.lineOf(error.offset);
    return refusal({ field, message, line, document: 1 }, unquoted);
  }
}

/** One pass over one text. */
class Parser {
  readonly #text: string;
  readonly #meter: WorkMeter;
  /** The way to what is being read. */
  readonly #path: (string | number)[] = [];
  #at = 0;
  #depth = 0;
  #nodes = 0;

  constructor(text: string, meter: WorkMeter) {
    this.#text = text;
    this.#meter = meter;
  }

  document(): RawValue {
    return this.#document(undefined);
  }

  /** Where the fields of the document are written. */
  places(): WrittenField {
    this.#skipSpace();
    const root = new WrittenField(this.#at);
    this.#document(root);
    return root;
  }

  #document(root: WrittenField | undefined): RawValue {
    const value = this.#value(root);
    this.#skipSpace();
    if (this.#at < this.#text.length) {
      this.#fail("wanted nothing after the first value");
    }
    return value;
  }

  #value(place: WrittenField | undefined): RawValue {
    this.#meter.spend(1);
    if (++this.#nodes > MAX_NODES) this.#refuse(TOO_LONG.values);
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(place);
      case "[":
        return this.#array(place);
      case '"':
        return this.#string();
      default:
        return this.#literal();
    }
  }

  #object(place: WrittenField | undefined): RawValue {
    const target: Record<string, RawValue> = {};
    this.#open();
    for (let first = true; !this.#takeIf("}"); first = false) {
      if (!first) this.#take(",");
      this.#skipSpace();
      const offset = this.#at;
      if (this.#text[offset] !== '"') {
        this.#fail("wanted a key in quotes");
      }
      const key = this.#string();
      if (key.length > MAX_KEY) this.#refuse(TOO_LONG.key, offset);
      this.#path.push(key);
      if (Object.hasOwn(target, key)) {
        const message = `Duplicate value: key "${clipText(key)}"`;
        this.#refuse(message, offset);
      }
      this.#take(":");
      setOwn(target, key, this.#value(place?.add(key, offset)));
      this.#path.pop();
    }
    this.#depth--;
    return target;
  }

  #array(place: WrittenField | undefined): RawValue {
    const items: RawValue[] = [];
    this.#open();
    for (let first = true; !this.#takeIf("]"); first = false) {
      if (!first) this.#take(",");
      this.#skipSpace();
      const { length } = items;
      this.#path.push(length);
      items.push(this.#value(place?.add(length, this.#at)));
      this.#path.pop();
    }
    this.#depth--;
    return items;
  }

  #string(): string {
    const start = this.#at;
    const end = this.#stringEnd(start + 1);
    if (end - start > MAX_SCALAR) this.#refuse(TOO_LONG.scalar, start);
    this.#meter.spend(Math.max(0, end - start));
    const text = this.#text.slice(start, end);
    // Searched, not matched as a whole: a pattern's stack is too small for megabytes.
    if (end < 0 || CONTROL.test(text)) {
      const wanted = "wanted a string that ends on its line";
      this.#fail(`${wanted} and holds no control characters`);
    }
    this.#at = end;
    if (!text.includes("\\")) return text.slice(1, -1);
    try {
      return String(JSON.parse(text));
    } catch {
      // Which escape it is does not matter: the line is named.
      this.#at = start;
      return this.#fail("wanted a string without unknown escapes");
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

  #literal(): RawValue {
    // A number of more digits is none that anything can hold.
    const rest = this.#text.slice(this.#at, this.#at + MAX_LITERAL);
    const match = LITERAL.exec(rest);
    if (match === null) this.#fail("wanted a value");
    const [text, integer] = match;
    this.#at += text.length;
    this.#meter.spend(text.length);
    if (text.length === MAX_LITERAL) {
      this.#fail("the number is too large");
    }
    if (text === "true") return true;
    if (text === "false") return false;
    if (text === "null") return null;
    const value = Number(text);
    if (integer !== undefined && Number.isSafeInteger(value)) {
      return value === 0 ? 0 : value;
    }
    if (integer !== undefined && integer.length <= 64) return BigInt(integer);
    if (!Number.isFinite(value)) this.#fail("the number is too large");
    return value;
  }

  #open(): void {
    this.#at++;
    if (++this.#depth > MAX_DEPTH) this.#refuse(TOO_LONG.depth);
  }

  #take(char: string): void {
    if (!this.#takeIf(char)) this.#fail(`wanted "${char}"`);
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

  #fail(wanted: string): never {
    const said = "Invalid value: not valid JSON: found";
    if (this.#at >= this.#text.length) {
      this.#refuse(`${said} the end of the text, ${wanted}`);
    }
    const found = JSON.stringify(this.#text.slice(this.#at, this.#at + 10));
    throw new SourceError(`${said} ${found}, ${wanted}`, this.#at, {
      field: pathText(this.#path),
      unquoted: said,
    });
  }

  #refuse(message: string, offset: number = this.#at): never {
    throw new SourceError(message, offset, { field: pathText(this.#path) });
  }
}

// deno-lint-ignore no-control-regex -- JSON forbids them unescaped
const CONTROL = /[\u0000-\u001f]/;
const MAX_LITERAL = 1024;
const LITERAL =
  /^(?:true|false|null|(-?(?:0|[1-9][0-9]*))(?![0-9.eE])|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/;
