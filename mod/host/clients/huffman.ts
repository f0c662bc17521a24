/**
 * The code in which HTTP/2 writes texts: RFC 7541, section 5.2 and appendix B.
 *
 * @module
 */

import { badAnswer } from "./tcp_connect.ts";

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
      if (symbol === END) throw badAnswer("the text has an end within it");
      if (letters === maxLength) throw badAnswer("the text is too long");
      text[letters++] = symbol;
      code = 0;
      length = 0;
    }
  }
  // What fills the last byte is the beginning of the end symbol: ones.
  if (length > 7 || code !== (1 << length) - 1) {
    throw badAnswer("the text ends within a letter");
  }
  return byteText(text.subarray(0, letters));
}

/**
 * A text of one character for each byte, in one piece. A text that is put together
 * character by character takes thirty times its length until it is first read.
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

// The length of the code of each byte, and of the end, as digits of base 36. The codes
// are counted up from them: short ones first, those of one length by their byte.
const LENGTHS: readonly number[] = Array.from(
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca" +
    "d67777777777777777777777878djde6f56565666577666567655677777fbeds" +
    "kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn" +
    "qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq" +
    "u",
  (digit) => Number.parseInt(digit, 36),
);
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
  if (codes === undefined) throw badAnswer("the text has an unknown letter");
  return codes.symbols[code - codes.first];
}
