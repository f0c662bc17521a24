/**
 * Header fields as HTTP/2 packs them: RFC 7541.
 *
 * Everything is read, as servers are free in how they write; what is written is the
 * plainest form, which every server reads.
 *
 * @module
 */

import { UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { badAnswer } from "./tcp_connect.ts";
import { byteText, decodeHuffman } from "./huffman.ts";

/** Name and value, as they were sent: a character for a byte. */
export type HeaderField = readonly [name: string, value: string];

/** Reads the header blocks of one connection, in the order in which they came. */
export class HeaderDecoder {
  /** The newest first. */
  readonly #dynamic: HeaderField[] = [];
  #size = 0;
  #maxSize = TABLE_BYTES;
  readonly #meter: WorkMeter;

  constructor(meter: WorkMeter = UNMETERED) {
    this.#meter = meter;
  }

  /**
   * Reads one block.
   *
   * @throws {AnswerError} When it cannot be understood, or holds more than 64 KiB.
   */
  decode(block: Uint8Array): HeaderField[] {
    const reader = new BlockReader(block);
    const fields: HeaderField[] = [];
    let budget = MAX_DECODED_BYTES;
    this.#meter.spend(block.length);
    while (!reader.isAtEnd) {
      const field = this.#field(reader);
      this.#meter.spend(field === undefined ? 1 : sizeOf(field));
      if (field === undefined) continue;
      // A single byte may stand for all that a table can hold.
      budget -= sizeOf(field);
      if (budget < 0) throw badAnswer("the header is too long");
      fields.push(field);
    }
    return fields;
  }

  #field(reader: BlockReader): HeaderField | undefined {
    const first = reader.peek();
    if (first >= 0x80) return this.#at(reader.integer(7));
    if (first >= 0x40) {
      const field = this.#literal(reader, reader.integer(6));
      this.#dynamic.unshift(field);
      this.#size += sizeOf(field);
      this.#evict();
      return field;
    }
    if (first >= 0x20) {
      const size = reader.integer(5);
      if (size > TABLE_BYTES) throw badAnswer("the table is too large");
      this.#maxSize = size;
      this.#evict();
      return undefined;
    }
    return this.#literal(reader, reader.integer(4));
  }

  #literal(reader: BlockReader, index: number): HeaderField {
    const name = index === 0 ? reader.text() : this.#at(index)[0];
    return [name, reader.text()];
  }

  #at(index: number): HeaderField {
    const field = STATIC[index - 1] ?? this.#dynamic[index - 1 - STATIC.length];
    if (field === undefined) throw badAnswer("a field of no known number");
    return field;
  }

  #evict(): void {
    while (this.#size > this.#maxSize) {
      const oldest = this.#dynamic.pop();
      this.#size -= oldest === undefined ? this.#size : sizeOf(oldest);
    }
  }
}

/** Writes fields literally, without a table and without a code. */
export function encodeHeaders(fields: readonly HeaderField[]): Uint8Array {
  return Uint8Array.from(fields.flatMap(([name, value]) => [
    0,
    ...lengthAndBytes(name),
    ...lengthAndBytes(value),
  ]));
}

// The default limit of what a peer may remember; the agent sets no other.
const TABLE_BYTES = 4096;

const MAX_DECODED_BYTES = 64 * 1024;

/** As the size of a table counts them. */
function sizeOf([name, value]: HeaderField): number {
  return name.length + value.length + 32;
}

class BlockReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw badAnswer("the header breaks off");
    return byte;
  }

  /** A number that begins in the last `bits` of a byte. */
  integer(bits: number): number {
    const mask = (1 << bits) - 1;
    let value = this.peek() & mask;
    this.#at++;
    if (value < mask) return value;
    // More than four bytes are no number that anything here could have.
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.peek();
      this.#at++;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw badAnswer("a number is too large");
  }

  text(): string {
    const isPacked = this.peek() >= 0x80;
    const length = this.integer(7);
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw badAnswer("the header breaks off");
    this.#at += length;
    return isPacked ? decodeHuffman(bytes, MAX_DECODED_BYTES) : byteText(bytes);
  }
}

function lengthAndBytes(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  const { length } = bytes;
  return length < 0x7f
    ? [length, ...bytes]
    : [0x7f, ...groupsOfSeven(length - 0x7f), ...bytes];
}

/** A number as HPACK and protobuf write it: the lowest seven bits first. */
export function groupsOfSeven(number: number): number[] {
  const groups: number[] = [];
  let rest = number;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    groups.push(0x80 | (rest % 0x80));
  }
  return [...groups, rest];
}

// RFC 7541, appendix A: those with a value first.
const STATIC: readonly HeaderField[] = [
  [":authority", ""],
  [":method", "GET"],
  [":method", "POST"],
  [":path", "/"],
  [":path", "/index.html"],
  [":scheme", "http"],
  [":scheme", "https"],
  [":status", "200"],
  [":status", "204"],
  [":status", "206"],
  [":status", "304"],
  [":status", "400"],
  [":status", "404"],
  [":status", "500"],
  ["accept-charset", ""],
  ["accept-encoding", "gzip, deflate"],
  ...`
  accept-language accept-ranges accept access-control-allow-origin age allow
  authorization cache-control content-disposition content-encoding content-language
  content-length content-location content-range content-type cookie date etag expect
  expires from host if-match if-modified-since if-none-match if-range
  if-unmodified-since last-modified link location max-forwards proxy-authenticate
  proxy-authorization range referer refresh retry-after server set-cookie
  strict-transport-security transfer-encoding user-agent vary via www-authenticate
  `.split(/[ \n]/).filter((name) => name !== "").map((
    name,
  ): HeaderField => [name, ""]),
];
