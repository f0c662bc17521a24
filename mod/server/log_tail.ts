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
  const { signal } = new AbortController();
  const counter = new LineCounter(lines);
  return await searchTail(file, counter, { size, signal }) ?? 0;
}

/**
 * Goes on counting in a file before the one that was counted last, from its end.
 *
 * @returns where the wanted lines begin; `undefined` when it may be in the file before
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function searchTail(
  file: ReadableFile,
  counter: LineCounter,
  options: { readonly size: number; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const { size, signal } = options;
  counter.begin(size);
  // The block is read with the first bytes of the block behind it, so that the
  // head of an entry that starts near its end is whole.
  const buffer = new Uint8Array(BLOCK_BYTES + MAX_HEAD_BYTES);
  for (let end = size; end > 0; end = Math.max(0, end - BLOCK_BYTES)) {
    // A line may be as long as the whole disk, and who asked for it may have gone.
    signal.throwIfAborted();
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
      return counter.entry(0, isPartialEntry(head));
    }
  }
  return undefined;
}

/**
 * The same for a file that can only be read from its front, as often as needed.
 *
 * @param pieces reads it once more
 */
export async function searchTailForward(
  pieces: () => AsyncIterable<Uint8Array>,
  counter: LineCounter,
): Promise<number | undefined> {
  const { lines, isOpen } = await countLines(pieces());
  const skipped = counter.wholeFile(lines, isOpen);
  if (skipped === undefined) return undefined;
  return (await countLines(pieces(), skipped)).offset;
}

/** Counts lines from the last one to the first. */
export class LineCounter {
  readonly #wanted: number;
  #counted = 0;
  /** Where the entry behind the next one to be looked at starts. */
  #nextStart = 0;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** Goes to the end of the file before. */
  begin(size: number): void {
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

  /**
   * Takes a whole file towards the front; returns how many of its lines come before the
   * wanted ones, once it is known.
   *
   * @param lines how many end in it
   * @param isOpen whether it ends with a part of a line
   */
  wholeFile(lines: number, isOpen: boolean): number | undefined {
    const total = isOpen && this.#counted === 0 ? lines + 1 : lines;
    const missing = this.#wanted - this.#counted;
    if (total > missing) return total - missing;
    this.#counted += total;
    return undefined;
  }
}

/** What {@linkcode countLines} found. */
interface CountedLines {
  readonly lines: number;
  /** Behind the last line that was counted. */
  readonly offset: number;
  /** Whether something comes behind it. */
  readonly isOpen: boolean;
}

/** Counts lines from the front, at most `most`. */
async function countLines(
  pieces: AsyncIterable<Uint8Array>,
  most: number = Infinity,
): Promise<CountedLines> {
  const head = new Uint8Array(MAX_HEAD_BYTES);
  let headLength = 0;
  let lines = 0;
  let position = 0;
  let offset = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const newline = piece.indexOf(NEWLINE, at);
      const end = newline < 0 ? piece.length : newline + 1;
      const room = piece.subarray(
        at,
        Math.min(end, at + MAX_HEAD_BYTES - headLength),
      );
      head.set(room, headLength);
      headLength += room.length;
      at = end;
      if (newline < 0) continue;
      const isPartial = isPartialEntry(head.subarray(0, headLength));
      headLength = 0;
      if (isPartial) continue;
      lines++;
      offset = position + end;
      if (lines === most) return { lines, offset, isOpen: true };
    }
    position += piece.length;
  }
  return { lines, offset, isOpen: position > offset };
}

const latin1 = new TextDecoder("latin1");

function isPartialEntry(head: Uint8Array): boolean {
  const newline = head.indexOf(NEWLINE);
  const line = newline < 0 ? head : head.subarray(0, newline);
  const fields = latin1.decode(line).split(" ");
  return parseCriLogHead(fields.slice(0, 3).join(" "))?.partial === true;
}
