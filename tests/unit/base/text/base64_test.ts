/**
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { decodeBase64 } from "../../../../mod/base/text/base64.ts";

const ROWS: readonly (readonly [string, string, string | undefined])[] = [
  ["nothing", "", ""],
  ["two bytes", "aGk=", "hi"],
  ["one byte", "YQ==", "a"],
  ["text of several lines", "aGVs\nbG8=\r\n", "hello"],
  ["no padding", "aGk", undefined],
  ["too much padding", "aGk==", undefined],
  ["padding in the middle", "YQ==YQ==", undefined],
  ["only padding", "====", undefined],
  ["a space", "aG k=", undefined],
  ["a space instead of a digit", "aGk ", undefined],
  ["a tab", "aGk=\t\t\t\t", undefined],
  ["the alphabet for addresses", "_-__", undefined],
  ["plain text", "hunter2!", undefined],
  ["letters beyond ASCII", "äöüß", undefined],
  ["bits that are left over, as Go takes them", "aGl=", "hi"],
];
for (const [what, text, wanted] of ROWS) {
  Deno.test(`decodeBase64() ${wanted === undefined ? "refuses" : "reads"} ${what}`, () => {
    const bytes = decodeBase64(text);
    strictEqual(bytes && new TextDecoder().decode(bytes), wanted);
  });
}

Deno.test("decodeBase64() reads back what toBase64() writes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
    deepStrictEqual(decodeBase64(bytes.toBase64()), bytes);
  }));
});

Deno.test("decodeBase64() never throws", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    decodeBase64(text);
  }));
});
