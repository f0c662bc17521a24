/**
 * The lines of a watch, whatever pieces they come in.
 *
 * @module
 */

import { ByteBuffer } from "../../base/mod.ts";
import { ApiFailure } from "../../api/access/mod.ts";
import { decodeJson } from "../transport/mod.ts";

/** How lines are read. */
export interface LineOptions {
  /** For messages: `watch pods`. */
  readonly what: string;
  /** A longer line fails the watch. */
  readonly maxBytes: number;
}

const LINE_FEED = 10;

/**
 * Gives the decoded value of each line.
 *
 * @throws {ApiFailure} `Garbage` when a line is too long, is no JSON, or the end comes within one.
 */
export async function* watchLines(
  pieces: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<unknown, void, undefined> {
  const { what, maxBytes } = options;
  /** The begin of a line whose end has not come. */
  let begun = new ByteBuffer({ maxBytes });
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length;) {
      const at = piece.indexOf(LINE_FEED, from);
      const part = piece.subarray(from, at < 0 ? piece.length : at);
      from += part.length + 1;
      if (part.length > begun.left) {
        throw garbled(what, `a line is longer than ${maxBytes} bytes`);
      }
      if (at >= 0 && begun.length === 0) yield* valueOf(part, what);
      else begun.add(part);
      if (at >= 0 && begun.length > 0) {
        const line = begun;
        // A new one, so that a single long line does not keep its memory.
        begun = new ByteBuffer({ maxBytes });
        yield* valueOf(line.bytes, what);
      }
    }
  }
  if (begun.length > 0) throw garbled(what, "it ends in the middle of a line");
}

function* valueOf(line: Uint8Array, what: string): Generator<unknown> {
  if (line.length === 0) return;
  const value = decodeJson(line);
  if (value === undefined) throw garbled(what, "a line is no JSON");
  yield value;
}

/** What is thrown when a watch says what no API server says. */
export function garbled(what: string, found: string): ApiFailure {
  return new ApiFailure("Garbage", `Cannot ${what}: ${found}`);
}
