/**
 * The code in which HTTP/2 writes texts: RFC 7541, section 5.2 and appendix B.
 *
 * @module
 */

import { AnswerError } from "./answer_error.ts";

/**
 * Reads a text back, byte for byte.
 *
 * @throws {AnswerError} When it is no text in this code, or longer than `maxLength`.
 */
export function decodeHuffman(bytes: Uint8Array, maxLength: number): string {
  // No code is shorter than five bits.
  const text = new Uint8Array(
    Math.min(maxLength, Math.floor(bytes.length * 8 / 5)),
  );
  let letters = 0;
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = (code << 1) | ((byte >> bit) & 1);
      length++;
      const symbol = symbolOf(code, length);
      if (symbol === undefined) continue;
      if (symbol === END) {
        throw new AnswerError({ detail: "the text has an end within it" });
      }
      if (letters === maxLength) {
        throw new AnswerError({ detail: "the text is too long" });
      }
      text[letters++] = symbol;
      code = 0;
      length = 0;
    }
  }
  // What fills the last byte is the beginning of the end symbol: ones.
  if (length > 7 || code !== (1 << length) - 1) {
    throw new AnswerError({ detail: "the text ends within a letter" });
  }
  return byteText(text.subarray(0, letters));
}

/**
 * A text of one character for each byte, in one piece: one that is put together
 * character by character takes thirty times its length until somebody reads it.
 */
export function byteText(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES)));
  }
  return parts.join("");
}

// So many arguments every call can have.
const PIECE_BYTES = 4096;

// The length of the code of each byte, and of the end. The codes need not be told:
// they are counted up, the short ones first, and those of one length by their byte.
const LENGTHS: readonly number[] = [
  13,
  23,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  24,
  30,
  28,
  28,
  30,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  30,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  28,
  6,
  10,
  10,
  12,
  13,
  6,
  8,
  11,
  10,
  10,
  8,
  11,
  8,
  6,
  6,
  6,
  5,
  5,
  5,
  6,
  6,
  6,
  6,
  6,
  6,
  6,
  7,
  8,
  15,
  6,
  12,
  10,
  13,
  6,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  7,
  8,
  7,
  8,
  13,
  19,
  13,
  14,
  6,
  15,
  5,
  6,
  5,
  6,
  5,
  6,
  6,
  6,
  5,
  7,
  7,
  6,
  6,
  6,
  5,
  6,
  7,
  6,
  5,
  5,
  6,
  7,
  7,
  7,
  7,
  7,
  15,
  11,
  14,
  13,
  28,
  20,
  22,
  20,
  20,
  22,
  22,
  22,
  23,
  22,
  23,
  23,
  23,
  23,
  23,
  24,
  23,
  24,
  24,
  22,
  23,
  24,
  23,
  23,
  23,
  23,
  21,
  22,
  23,
  22,
  23,
  23,
  24,
  22,
  21,
  20,
  22,
  22,
  23,
  23,
  21,
  23,
  22,
  22,
  24,
  21,
  22,
  23,
  23,
  21,
  21,
  22,
  21,
  23,
  22,
  23,
  23,
  20,
  22,
  22,
  22,
  23,
  22,
  22,
  23,
  26,
  26,
  20,
  19,
  22,
  23,
  22,
  25,
  26,
  26,
  26,
  27,
  27,
  26,
  24,
  25,
  19,
  21,
  26,
  27,
  27,
  26,
  27,
  24,
  21,
  21,
  26,
  26,
  28,
  27,
  27,
  27,
  20,
  24,
  20,
  21,
  22,
  21,
  21,
  23,
  22,
  22,
  25,
  25,
  24,
  24,
  26,
  23,
  26,
  27,
  26,
  26,
  27,
  27,
  27,
  27,
  27,
  28,
  27,
  27,
  27,
  27,
  27,
  26,
  30,
];
const END = 256;

interface CodesOfLength {
  readonly first: number;
  readonly symbols: readonly number[];
}

const CODES: readonly CodesOfLength[] = countUp();

function countUp(): CodesOfLength[] {
  let next = 0;
  return Array.from({ length: 1 + Math.max(...LENGTHS) }, (_, length) => {
    const symbols = LENGTHS.flatMap((each, symbol) =>
      each === length ? [symbol] : []
    );
    const first = next * 2;
    next = first + symbols.length;
    return { first, symbols };
  });
}

function symbolOf(code: number, length: number): number | undefined {
  const codes = CODES[length];
  if (codes === undefined) {
    throw new AnswerError({ detail: "the text has an unknown letter" });
  }
  return codes.symbols[code - codes.first];
}
