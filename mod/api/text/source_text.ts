/**
 * From a manifest's bytes to text, and from places in the text to lines.
 *
 * @module
 */

import { isRecord, UNMETERED, type WorkMeter } from "../../base/mod.ts";
import type { Fault } from "../fault/mod.ts";

/** As the kubelet's maxConfigLength. */
export const MAX_MANIFEST_BYTES: number = 10 * 1024 * 1024;

/** A value as JSON or YAML gives it; an integer beyond 2^53 is a bigint. */
export type RawValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly RawValue[]
  | RawObject;

/** A mapping as JSON or YAML gives it. Every key is an own property, `__proto__` too. */
export interface RawObject {
  readonly [key: string]: RawValue;
}

/** True for a mapping. */
export function isRawObject(value: RawValue | undefined): value is RawObject {
  return isRecord(value);
}

/** One document of a file. */
export interface SourceDocument {
  readonly value: RawValue;
  /**
   * Says on which lines fields are written. Reads the document again, so it is for
   * faults only, and for all faults of a document at once. A field that is not there
   * gets the line of what encloses it.
   */
  locate(fields: ReadonlySet<string>): ReadonlyMap<string, number>;
}

/** What a text holds, or the first reason why it cannot be read. */
export type SourceResult =
  | { readonly kind: "ok"; readonly documents: readonly SourceDocument[] }
  | {
    readonly kind: "refused";
    readonly fault: Fault;
    /** The message without what it quotes of the text; absent where it quotes nothing but keys. */
    readonly unquoted?: string;
  };

/** The result for a text that cannot be read. */
export function refusal(
  fault: Fault,
  unquoted: string | undefined,
): SourceResult {
  return unquoted === undefined
    ? { kind: "refused", fault }
    : { kind: "refused", fault, unquoted };
}

/** A text cannot be read; stays within the readers of JSON and YAML. */
export class SourceError extends SyntaxError {
  readonly offset: number;
  readonly field: string;
  /** The message without what it quotes of the text; `undefined` where it quotes nothing but keys. */
  readonly unquoted: string | undefined;

  /** `offset` counts UTF-16 units from the start of the text. */
  constructor(
    message: string,
    offset: number,
    options: {
      readonly field?: string;
      readonly unquoted?: string | undefined;
    } = {},
  ) {
    super(message);
    this.offset = offset;
    this.field = options.field ?? "";
    this.unquoted = options.unquoted;
  }
}

/** Saying where an error is takes a table of lines, some 100 bytes each in js-yaml. */
const MAX_LINES = 250_000;

/** Bounds of what one file may expand to, whatever its size in bytes. */
export const MAX_DEPTH = 200;
/** Values, aliases followed, in one file. */
export const MAX_NODES = 50_000;
/** Characters of keys and scalars, aliases followed: as many as a text without any can have. */
export const MAX_EXPANDED: number = MAX_MANIFEST_BYTES;
/** The longest key, in UTF-16 units: no field, label or annotation may have a third of it. */
export const MAX_KEY = 1024;

/**
 * The longest single scalar, in UTF-16 units: what fills a Secret, in base64.
 * Decoding the escapes of a longer one takes fifty times its size in memory.
 */
export const MAX_SCALAR: number = 1.5 * 1024 * 1024;

/** What is said of a text that exceeds one of the bounds. */
export const TOO_LONG: Readonly<
  Record<"scalar" | "key" | "depth" | "values" | "text", string>
> = {
  scalar: `Too long: a value of more than ${MAX_SCALAR} characters`,
  key: `Too long: a key of more than ${MAX_KEY} characters`,
  depth: `Too long: nested deeper than ${MAX_DEPTH} levels`,
  values:
    `Too long: more than ${MAX_NODES} values, aliases followed to their anchors`,
  text:
    `Too long: more than ${MAX_EXPANDED} characters, aliases followed to their anchors`,
};

/** Text of a manifest, or why it is none. */
export type TextResult =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "refused"; readonly fault: Fault };

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, and refuses everything else.
 *
 * The content itself is never part of the fault.
 */
export function decodeText(source: Uint8Array | string): TextResult {
  if (source.length > MAX_MANIFEST_BYTES) {
    return refused(
      `Too long: it has ${source.length} bytes, at most ${MAX_MANIFEST_BYTES} are read`,
    );
  }
  if (typeof source === "string") {
    return checkText(source.startsWith("\uFEFF") ? source.slice(1) : source);
  }
  const encoding = encodingOf(source);
  // A NUL byte is the usual sign of a binary file.
  if (encoding === "utf-8" && source.includes(0)) return refused(NO_TEXT);
  try {
    return checkText(new TextDecoder(encoding, { fatal: true }).decode(source));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const line = encoding === "utf-8" ? firstBadLine(source) : undefined;
    return refused(`Invalid value: it is not valid ${encoding}`, line);
  }
}

/** The lines of one text, for all of its documents; counted when first asked for. */
export class TextLines {
  readonly #text: string;
  /** Counts the work that lines take. */
  readonly meter: WorkMeter;
  #starts: readonly number[] | undefined;

  constructor(text: string, meter: WorkMeter = UNMETERED) {
    this.#text = text;
    this.meter = meter;
  }

  /** Says which line an offset is on, from 1. */
  lineOf(offset: number): number {
    const starts = this.#starts ??= this.#count();
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  #count(): readonly number[] {
    const text = this.#text;
    this.meter.spend(text.length);
    const starts = [0];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === LF || (code === CR && text.charCodeAt(i + 1) !== LF)) {
        starts.push(i + 1);
      }
    }
    return starts;
  }
}

/** Sets a key as an own property, whatever its name. */
export function setOwn(
  target: Record<string, unknown>,
  key: string,
  value: unknown,
): void {
  if (key !== "__proto__") {
    target[key] = value;
    return;
  }
  // Assignment would change the prototype instead.
  Object.defineProperty(target, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

const LF = 10;
const CR = 13;
const NO_TEXT =
  "Invalid value: it is a binary file, wanted YAML or JSON as UTF-8 text";

function refused(message: string, line?: number): TextResult {
  const place = line !== undefined && { line };
  return { kind: "refused", fault: { field: "", message, ...place } };
}

function checkText(text: string): TextResult {
  if (text.includes("\0")) return refused(NO_TEXT);
  if (text.length > MAX_LINES && countLines(text) > MAX_LINES) {
    return refused(`Too long: more than ${MAX_LINES} lines`);
  }
  return { kind: "ok", text };
}

function countLines(text: string): number {
  let lines = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === LF || code === CR) lines++;
  }
  return lines;
}

function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}

// A line feed is never part of a longer UTF-8 sequence, so lines decode alone.
function firstBadLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let start = 0;
  for (let line = 1;; line++) {
    const at = bytes.indexOf(LF, start);
    const end = at < 0 ? bytes.length : at;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      // This is the line that was looked for.
      return line;
    }
    if (at < 0) return line;
    start = at + 1;
  }
}
