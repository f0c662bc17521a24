/**
 * The frames of HTTP/2 (RFC 9113, 4.1), as far as a relay looks at them.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** The types of frames that say something of a stream's life, or of a connection's. */
export const FRAME = { data: 0, headers: 1, reset: 3, ping: 6, goAway: 7 };

/** A frame, whole. */
export interface Http2Frame {
  readonly type: number;
  readonly flags: number;
  /** 0 for the connection. */
  readonly stream: number;
  /** With its head. */
  readonly bytes: Buffer;
}

/** Cuts one direction of a connection into frames; what is not whole yet is kept. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  #prefaceLength: number;

  /** @param options.hasPreface whether it is what a client says */
  constructor({ hasPreface }: { readonly hasPreface: boolean }) {
    this.#prefaceLength = hasPreface ? PREFACE_BYTES : 0;
  }

  /** The frames that a piece makes whole; the preface comes once, before all. */
  read(
    piece: Buffer,
  ): { readonly preface: readonly Buffer[]; readonly frames: Http2Frame[] } {
    let rest = this.#rest.length === 0
      ? piece
      : Buffer.concat([this.#rest, piece]);
    const preface: Buffer[] = [];
    const frames: Http2Frame[] = [];
    if (this.#prefaceLength > 0 && rest.length >= this.#prefaceLength) {
      preface.push(rest.subarray(0, this.#prefaceLength));
      rest = rest.subarray(this.#prefaceLength);
      this.#prefaceLength = 0;
    }
    while (this.#prefaceLength === 0 && rest.length >= HEAD_BYTES) {
      const length = HEAD_BYTES + rest.readUIntBE(0, 3);
      if (rest.length < length) break;
      frames.push({
        type: rest.readUInt8(3),
        flags: rest.readUInt8(4),
        stream: rest.readUInt32BE(5) & 0x7fff_ffff,
        bytes: rest.subarray(0, length),
      });
      rest = rest.subarray(length);
    }
    this.#rest = rest;
    return { preface, frames };
  }
}

const PREFACE_BYTES = 24;

const HEAD_BYTES = 9;
