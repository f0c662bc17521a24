/**
 * Finds where the last lines of a log begin, reading from its end only.
 *
 * @module
 */

import { type ReadableFile, readFully } from "../host/paths/mod.ts";
import { MAX_HEAD_BYTES, parseCriLogHead } from "./cri_log.ts";

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * Returns the offset at which the last `lines` lines of the first `size` bytes
 * begin.
 *
 * Unlike the kubelet, which counts the runtime's entries, it counts lines as the
 * container wrote them, so that a long line in parts is one. No more than one
 * block is held, whatever the size of the log.
 */
export async function findTailStart(
  file: ReadableFile,
  options: { readonly size: number; readonly lines: number },
): Promise<number> {
  const { size, lines } = options;
  if (lines <= 0) return size;
  const counter = new LineCounter(lines, size);
  // The block is read with the first bytes of the block behind it, so that the
  // head of an entry that starts near its end is whole.
  const buffer = new Uint8Array(BLOCK_BYTES + MAX_HEAD_BYTES);
  for (let end = size; end > 0; end = Math.max(0, end - BLOCK_BYTES)) {
    const start = Math.max(0, end - BLOCK_BYTES);
    const wanted = Math.min(size, end + MAX_HEAD_BYTES) - start;
    const block = buffer.subarray(0, wanted);
    // Where the log was cut meanwhile there is no newline.
    block.fill(0, await readFully(file, block, start));
    // The newline that ends the log starts no line, hence `size - 1`.
    const last = Math.min(end, size - 1) - start;
    for (let at = last - 1; at >= 0; at--) {
      if (block[at] !== NEWLINE) continue;
      const head = block.subarray(at + 1, at + 1 + MAX_HEAD_BYTES);
      const found = counter.entry(start + at + 1, isPartialEntry(head));
      if (found !== undefined) return found;
    }
    if (start === 0) {
      const head = block.subarray(0, MAX_HEAD_BYTES);
      return counter.entry(0, isPartialEntry(head)) ?? 0;
    }
  }
  return 0;
}

/** Counts lines from the last one to the first. */
class LineCounter {
  readonly #wanted: number;
  #counted = 0;
  /** Where the entry behind the next one to be looked at starts. */
  #nextStart: number;

  constructor(wanted: number, size: number) {
    this.#wanted = wanted;
    this.#nextStart = size;
  }

  /** Takes the next entry towards the front; returns the start once it is known. */
  entry(start: number, partial: boolean): number | undefined {
    // The last entry of a line counts it; at the end that may be a part still.
    if (!partial || this.#counted === 0) {
      if (this.#counted === this.#wanted) return this.#nextStart;
      this.#counted++;
    }
    this.#nextStart = start;
    return undefined;
  }
}

const latin1 = new TextDecoder("latin1");

function isPartialEntry(head: Uint8Array): boolean {
  const newline = head.indexOf(NEWLINE);
  const line = newline < 0 ? head : head.subarray(0, newline);
  const fields = latin1.decode(line).split(" ");
  return parseCriLogHead(fields.slice(0, 3).join(" "))?.partial === true;
}
