/**
 * Collecting bytes that come in pieces of any size.
 *
 * @module
 */

import { UNMETERED, type WorkMeter } from "./work_meter.ts";

// Enough for most answers; twice as much each time that it is not.
const FIRST_BYTES = 1024;

/**
 * One piece of memory that grows to what was added, up to a bound.
 *
 * Not a list of pieces: a sender of single bytes would make each of them cost as much as
 * an object.
 *
 * @example Two pieces and what does not fit
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict";
 * import { ByteBuffer } from "./byte_buffer.ts";
 *
 * const buffer = new ByteBuffer({ maxBytes: 3 });
 * strictEqual(buffer.add(Uint8Array.of(1, 2)), true);
 * strictEqual(buffer.add(Uint8Array.of(3, 4)), false);
 * deepStrictEqual(buffer.bytes, Uint8Array.of(1, 2));
 * ```
 */
export class ByteBuffer {
  readonly #maxBytes: number;
  readonly #meter: WorkMeter;
  #room = new Uint8Array();
  #length = 0;

  /** Takes no memory before there is something to keep. */
  constructor(
    options: { readonly maxBytes: number; readonly meter?: WorkMeter },
  ) {
    this.#maxBytes = options.maxBytes;
    this.#meter = options.meter ?? UNMETERED;
  }

  /** What was added: a view, good until more is, of less than twice that memory or a kilobyte. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#room.subarray(0, this.#length);
  }

  /** How many bytes there are. */
  get length(): number {
    return this.#length;
  }

  /** How many more there may be. */
  get left(): number {
    return this.#maxBytes - this.#length;
  }

  /** Adds a piece whole, or nothing of it when that would be too much. */
  add(piece: Uint8Array): boolean {
    if (piece.length > this.left) return false;
    const length = this.#length + piece.length;
    if (length > this.#room.length) this.#grow(length);
    this.#room.set(piece, this.#length);
    this.#length = length;
    this.#meter.spend(1 + piece.length);
    return true;
  }

  /** Forgets what was added, and keeps the memory for what comes. */
  clear(): void {
    this.#length = 0;
  }

  #grow(wanted: number): void {
    const doubled = Math.max(FIRST_BYTES, 2 * this.#room.length, wanted);
    const room = new Uint8Array(Math.min(doubled, this.#maxBytes));
    room.set(this.bytes);
    this.#meter.spend(this.#length);
    this.#room = room;
  }
}
