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
import { FieldSearch, type FieldTrail, rootTrail } from "./field_trail.ts";
import {
  MAX_DEPTH,
  MAX_KEY,
  MAX_NODES,
  MAX_SCALAR,
  type RawValue,
  setOwn,
  type SourceDocument,
  SourceError,
  type SourceResult,
  TextLines,
  TOO_DEEP,
  TOO_LONG_KEY,
  TOO_LONG_SCALAR,
  TOO_MANY_VALUES,
} from "./source_text.ts";

/** True when the first thing in a text is an opening brace: it is taken for JSON then. */
export function looksLikeJson(text: string): boolean {
  return text.trimStart().startsWith("{");
}

/** Reads the one JSON document of a text. Never throws on bad text. */
export function parseJson(
  text: string,
  meter: WorkMeter = UNMETERED,
): SourceResult {
  const source = { text, meter };
  try {
    const value = new Parser(source).document();
    return { kind: "ok", documents: [new JsonDocument(source, value)] };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { message, offset } = error;
    const line = new TextLines(text, meter).lineOf(offset);
    const field = fieldAt(source);
    return { kind: "refused", fault: { field, message, line, document: 1 } };
  }
}

interface JsonSource {
  readonly text: string;
  readonly meter: WorkMeter;
}

class JsonDocument implements SourceDocument {
  readonly value: RawValue;
  readonly #source: JsonSource;

  constructor(source: JsonSource, value: RawValue) {
    this.#source = source;
    this.value = value;
  }

  locate(fields: ReadonlySet<string>): ReadonlyMap<string, number> {
    const { text, meter } = this.#source;
    const search = new FieldSearch(fields, meter);
    new Parser(this.#source, search.root()).document();
    return new TextLines(text, meter).linesOf(search.offsets());
  }
}

// Reads once more with field names, up to the same error.
function fieldAt(source: JsonSource): string {
  try {
    new Parser(source, rootTrail()).document();
  } catch (error) {
    if (error instanceof SourceError) return error.field;
    throw error;
  }
  return "";
}

/** One pass over one text. */
class Parser {
  readonly #text: string;
  readonly #meter: WorkMeter;
  readonly #root: FieldTrail | undefined;
  #at = 0;
  #depth = 0;
  #nodes = 0;

  constructor({ text, meter }: JsonSource, root?: FieldTrail) {
    this.#text = text;
    this.#meter = meter;
    this.#root = root;
  }

  document(): RawValue {
    this.#skipSpace();
    this.#root?.recordOffset(this.#at);
    const value = this.#value(this.#root);
    this.#skipSpace();
    if (this.#at < this.#text.length) {
      this.#fail("wanted nothing after the first value", this.#root);
    }
    return value;
  }

  #value(field: FieldTrail | undefined): RawValue {
    this.#meter.spend(1);
    if (++this.#nodes > MAX_NODES) this.#refuse(TOO_MANY_VALUES, field);
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

  #object(field: FieldTrail | undefined): RawValue {
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
      if (key.length > MAX_KEY) this.#refuse(TOO_LONG_KEY, field, offset);
      const place = field?.child(key);
      place?.recordOffset(offset);
      if (Object.hasOwn(target, key)) {
        const message = `Duplicate value: key "${clipText(key)}"`;
        this.#refuse(message, place, offset);
      }
      this.#take(":", place);
      setOwn(target, key, this.#value(place));
    }
    this.#depth--;
    return target;
  }

  #array(field: FieldTrail | undefined): RawValue {
    const items: RawValue[] = [];
    this.#open(field);
    for (let first = true; !this.#takeIf("]"); first = false) {
      if (!first) this.#take(",", field);
      this.#skipSpace();
      const place = field?.index(items.length);
      place?.recordOffset(this.#at);
      items.push(this.#value(place));
    }
    this.#depth--;
    return items;
  }

  #string(field: FieldTrail | undefined): string {
    const start = this.#at;
    const end = this.#stringEnd(start + 1);
    if (end - start > MAX_SCALAR) this.#refuse(TOO_LONG_SCALAR, field, start);
    this.#meter.spend(Math.max(0, end - start));
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

  #literal(field: FieldTrail | undefined): RawValue {
    // A number of more digits is none that anything can hold.
    const rest = this.#text.slice(this.#at, this.#at + MAX_LITERAL);
    const match = LITERAL.exec(rest);
    if (match === null) this.#fail("wanted a value", field);
    const [text, integer] = match;
    this.#at += text.length;
    this.#meter.spend(text.length);
    if (text.length === MAX_LITERAL) {
      this.#fail("the number is too large", field);
    }
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

  #open(field: FieldTrail | undefined): void {
    this.#at++;
    if (++this.#depth > MAX_DEPTH) this.#refuse(TOO_DEEP, field);
  }

  #take(char: string, field: FieldTrail | undefined): void {
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

  #fail(wanted: string, field: FieldTrail | undefined): never {
    const found = this.#at < this.#text.length
      ? `found ${JSON.stringify(this.#text.slice(this.#at, this.#at + 10))}`
      : "found the end of the text";
    this.#refuse(`Invalid value: not valid JSON: ${found}, ${wanted}`, field);
  }

  #refuse(
    message: string,
    field: FieldTrail | undefined,
    offset: number = this.#at,
  ): never {
    throw new SourceError(message, offset, { field: String(field ?? "") });
  }
}

// deno-lint-ignore no-control-regex -- JSON forbids them unescaped
const CONTROL = /[\u0000-\u001f]/;
const MAX_LITERAL = 1024;
const LITERAL =
  /^(?:true|false|null|(-?(?:0|[1-9][0-9]*))(?![0-9.eE])|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/;
