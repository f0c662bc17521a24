/**
 * Texts and bytes that somebody wrote to harm whoever reads them.
 *
 * @module
 */

import type { Random } from "../../../mod/base/mod.ts";
import { below, many, pick } from "./fuzz.ts";

/** Texts that break readers: long runs, signs that turn lines around, halves of pairs. */
export function hostileText(random: Random, maxLength: number): string {
  const length = below(random, maxLength + 1);
  switch (below(random, 6)) {
    case 0:
      return pick(random, RUNS).repeat(length);
    case 1:
      return many(length, () => pick(random, SIGNS)).join("");
    case 2:
      return `${pick(random, RUNS).repeat(length)}${pick(random, SIGNS)}`;
    case 3:
      return many(
        length,
        () => String.fromCharCode(below(random, 0x10000)),
      ).join("");
    case 4:
      return pick(random, WORDS);
    default:
      return many(
        length,
        () => String.fromCharCode(32 + below(random, 95)),
      ).join("");
  }
}

const RUNS = [
  " ",
  "\t",
  "a",
  "0",
  "-",
  ".",
  "/",
  "a.",
  "\\",
  '"',
  "é",
  "\r",
  "a/",
] as const;

const SIGNS = [
  "\u202e",
  "\u2066",
  "\ufeff",
  "\ud800",
  "\udc00",
  "\0",
  "\x1b[2J",
  "\u2028",
  "\n",
  "\r\n",
  ":",
  "{",
  "}",
  "[",
  "]",
  ",",
  "&a",
  "*a",
  "<<",
  "%",
  "!",
  "#",
  "|",
  ">",
  "---",
  "\u{1f600}",
] as const;

const WORDS = [
  "__proto__",
  "constructor",
  "toString",
  "null",
  "~",
  ".inf",
  ".nan",
  "1e999",
  "0x1",
  "-0",
  "9223372036854775808",
  "999999999999999999999999999999999999",
  "2026-07-11T00:00:00Z",
  "../../../etc/shadow",
  "..",
  "/",
] as const;

/** The same bytes with some of them changed, left out, repeated or put elsewhere. */
export function mutated(
  random: Random,
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  let changed = bytes;
  const times = below(random, 8);
  for (let time = 0; time < times; time++) {
    const at = below(random, changed.length + 1);
    const end = at + below(random, Math.min(40, changed.length - at) + 1);
    const before = changed.subarray(0, at);
    const part = changed.subarray(at, end);
    const after = changed.subarray(end);
    changed = joined(pick<readonly Uint8Array[]>(random, [
      [before, after],
      [before, part, part, part, after],
      [before, part.map(() => below(random, 256)), after],
      [before, many(64, () => part).reduce((a, b) => joined([a, b])), after],
      [before],
      [after, before],
      [before, new TextEncoder().encode(hostileText(random, 200)), after],
    ]));
    if (changed.length > 200_000) break;
  }
  return changed;
}

/** Bytes one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The same bytes in the pieces in which they arrive: whole, one by one, or as it comes. */
export function inPieces(
  random: Random,
  bytes: Uint8Array,
): readonly Uint8Array[] {
  // What is long would take a test too long byte by byte.
  const least = bytes.length > 4096 ? 64 : 1;
  const most = least * pick(random, [1, 2, 9, 100, 4096]);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = 1 + below(random, most);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

/** A connection over which these pieces come, and that takes whatever is sent. */
export class ScriptedLink {
  readonly #pieces: Uint8Array[];
  /** How many bytes were handed out. */
  given = 0;
  /** How often somebody read. */
  reads = 0;
  /** How many bytes were sent. */
  sent = 0;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = [...pieces].reverse();
  }

  read(into: Uint8Array): Promise<number> {
    this.reads++;
    const piece = this.#pieces.pop() ?? new Uint8Array();
    const taken = piece.subarray(0, into.length);
    if (taken.length < piece.length) {
      this.#pieces.push(piece.subarray(taken.length));
    }
    into.set(taken);
    this.given += taken.length;
    return Promise.resolve(taken.length);
  }

  write(bytes: Uint8Array): Promise<void> {
    this.sent += bytes.length;
    return Promise.resolve();
  }

  [Symbol.dispose](): void {}
}
