/**
 * Bodies of answers, never longer than they may be.
 *
 * @module
 */

import { ByteBuffer } from "../../base/mod.ts";

/**
 * Reads a body whole.
 *
 * @param heard is called whenever something comes
 * @returns `undefined` when it is longer than `maxBytes`; the rest is not read then
 * @throws {unknown} What breaks the connection, or the reason of its signal.
 */
export async function readBody(
  response: Response,
  { maxBytes, heard }: {
    readonly maxBytes: number;
    readonly heard: () => void;
  },
): Promise<Uint8Array | undefined> {
  const body = new ByteBuffer({ maxBytes });
  // Leaving the loop ends the stream.
  for await (const piece of response.body ?? []) {
    heard();
    if (!body.add(piece)) return undefined;
  }
  return body.bytes;
}

/** The value of a body in JSON; `undefined` when it is none. */
export function decodeJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    // What the parser says would quote the body, which may be a Secret.
    return undefined;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });
