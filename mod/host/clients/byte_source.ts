/**
 * What has been received over a connection and not yet understood.
 *
 * @module
 */

import { UNMETERED, type WorkMeter } from "../../base/mod.ts";
import type { ByteLink } from "./byte_link.ts";

/** Holds what was received until it is taken; a view is good until the next {@linkcode fill}. */
export class ByteSource {
  readonly #link: Pick<ByteLink, "read">;
  readonly #meter: WorkMeter;
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(2048);
  #start = 0;
  #end = 0;

  constructor(link: Pick<ByteLink, "read">, meter: WorkMeter = UNMETERED) {
    this.#link = link;
    this.#meter = meter;
  }

  /** Looks for a byte in what is there; -1 when it is not. */
  indexOf(byte: number, from: number): number {
    const { received } = this;
    const at = received.indexOf(byte, from);
    this.#meter.spend((at < 0 ? received.length : at + 1) - from);
    return at;
  }

  /** What is there and has not been taken. */
  get received(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** Takes the first bytes of what is there. */
  take(length: number): Uint8Array {
    const taken = this.#buffer.subarray(this.#start, this.#start + length);
    this.#start += length;
    return taken;
  }

  /** Receives more, behind what is there; false at the end. */
  async fill(): Promise<boolean> {
    if (this.#start > 0) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#meter.spend(this.#end - this.#start);
      this.#end -= this.#start;
      this.#start = 0;
    }
    if (this.#end === this.#buffer.length) {
      const larger = new Uint8Array(2 * this.#buffer.length);
      larger.set(this.#buffer);
      this.#meter.spend(this.#buffer.length);
      this.#buffer = larger;
    }
    const length = await this.#link.read(this.#buffer.subarray(this.#end));
    this.#end += length;
    this.#meter.spend(1 + length);
    return length > 0;
  }

  /** Takes exactly so many bytes; `undefined` when the end comes before. */
  async exactly(length: number): Promise<Uint8Array | undefined> {
    while (this.#end - this.#start < length) {
      if (!await this.fill()) return undefined;
    }
    return this.take(length);
  }
}
