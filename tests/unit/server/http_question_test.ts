/**
 * Heads of requests.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  findHeadEnd,
  parseQuestion,
} from "../../../mod/server/http_question.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

for (
  const [head, wanted] of [
    ["GET /healthz HTTP/1.1\r\n\r\n", ["GET", "http://skerry/healthz", true]],
    ["GET /a?b=c HTTP/1.0\n\n", ["GET", "http://skerry/a?b=c", false]],
    ["HEAD http://x/y HTTP/1.1\r\n\r\n", ["HEAD", "http://x/y", true]],
    ["GET //evil/x HTTP/1.1\r\n\r\n", ["GET", "http://skerry//evil/x", true]],
    ["GET /healthz\r\n\r\n", undefined],
    ["GET  /healthz HTTP/1.1\r\n\r\n", undefined],
    ["GET / HTTP/2.0\r\n\r\n", undefined],
    ["GET * HTTP/1.1\r\n\r\n", undefined],
    ["\r\n\r\n", undefined],
  ] as const
) {
  Deno.test(`parseQuestion() reads ${JSON.stringify(head)}`, () => {
    const question = parseQuestion(bytes(head));
    deepStrictEqual(
      question &&
        [question.method, question.url.href, question.takesChunks],
      wanted,
    );
  });
}

for (const head of ["GET / HTTP/1.1\r\na: b\r\n\r\n", "GET / HTTP/1.0\n\n"]) {
  Deno.test(`findHeadEnd() sees the end of ${JSON.stringify(head)} in any pieces`, () => {
    const received = bytes(`${head}GET /next`);
    for (let piece = 1; piece < received.length; piece++) {
      let found: number | undefined;
      for (let from = 0; found === undefined; from += piece) {
        const seen = received.subarray(0, from + piece);
        found = findHeadEnd(seen, from);
      }
      strictEqual(found, head.length);
    }
  });
}
