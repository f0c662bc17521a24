/**
 * Answers that come piece by piece.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { type Pieces, stream } from "../../../../mod/server/answer/mod.ts";

/** A stream, and what was told of it. */
class Told {
  readonly failures: unknown[] = [];
  readonly closing = new AbortController();
  finished = 0;

  stream(start: (signal: AbortSignal) => Pieces): Response {
    return stream(start, {
      type: "text/x",
      signal: this.closing.signal,
      finish: () => void this.finished++,
      logFailure: (error) => void this.failures.push(error),
    });
  }
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("stream() gives all pieces, and says once that it is over", async () => {
  const told = new Told();
  const response = told.stream(async function* () {
    yield await Promise.resolve(bytes("a"));
    yield bytes("b");
  });
  strictEqual(response.headers.get("content-type"), "text/x");
  strictEqual(await response.text(), "ab");
  deepStrictEqual([told.finished, told.failures], [1, []]);
});

Deno.test("stream() breaks off where its pieces do, and tells why", async () => {
  const told = new Told();
  const failure = new Error("the disk is gone");
  const response = told.stream(async function* () {
    yield await Promise.resolve(bytes("a"));
    throw failure;
  });
  await rejects(response.text(), failure);
  deepStrictEqual([told.finished, told.failures], [1, [failure]]);
});

Deno.test("stream() ends as a whole answer when the server closes", async () => {
  const told = new Told();
  const response = told.stream(async function* (signal) {
    yield await Promise.resolve(bytes("a"));
    told.closing.abort();
    signal.throwIfAborted();
  });
  strictEqual(await response.text(), "a");
  deepStrictEqual([told.finished, told.failures], [1, []]);
});

Deno.test("stream() ends its pieces when the client leaves", async () => {
  const told = new Told();
  const seen: string[] = [];
  const response = told.stream(async function* (signal) {
    try {
      for (;;) yield await Promise.resolve(bytes("a"));
    } finally {
      seen.push(`aborted: ${signal.aborted}`);
    }
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  deepStrictEqual(seen, ["aborted: true"]);
  deepStrictEqual([told.finished, told.failures], [1, []]);
});
