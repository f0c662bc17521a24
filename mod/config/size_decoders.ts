/**
 * Decoders of sizes in bytes, which are written as quantities.
 *
 * @module
 */

import { parseQuantity } from "../api/objects/mod.ts";
import type { Decoder } from "./decoders.ts";

/** The size from which on a log is rotated, in bytes; `Infinity` for never. */
export const logSize: Decoder<number> = {
  wanted: 'a size such as "10Mi", or a negative one for no rotation',
  decode: (value) => {
    const bytes = bytesOf(value);
    // Of nothing every look would make a new file.
    if (bytes === undefined || bytes === 0) return undefined;
    return bytes < 0 ? Infinity : bytes;
  },
};

/** A size that is more than nothing, in bytes. */
export const byteSize: Decoder<number> = {
  wanted: 'a size such as "500Mi"',
  decode: (value) => {
    const bytes = bytesOf(value);
    return bytes !== undefined && bytes > 0 ? bytes : undefined;
  },
};

const NANO = 1e9;

/** Rounded away from zero; `undefined` for what is no quantity. */
function bytesOf(value: unknown): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  try {
    const amount = Number(parseQuantity(value).nano) / NANO;
    return Math.sign(amount) * Math.ceil(Math.abs(amount));
  } catch (error) {
    const isRefused = error instanceof SyntaxError ||
      error instanceof RangeError;
    if (!isRefused) throw error;
    return undefined;
  }
}
