/**
 * Amounts of bytes in words.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { byteWords } from "../../../mod/explain/byte_words.ts";

for (
  const [bytes, words] of [
    [0, "0"],
    [1_023, "1023"],
    [1_024, "1Ki"],
    [1_075, "1Ki"],
    [1_076, "1.1Ki"],
    [1_536, "1.5Ki"],
    [2 ** 20 - 1, "1024Ki"],
    [2 ** 20, "1Mi"],
    [2 ** 30 - 1, "1024Mi"],
    [2 ** 30, "1Gi"],
    [2 ** 40 - 1, "1024Gi"],
    [2 ** 40, "1Ti"],
    [1500 * 2 ** 40, "1500Ti"],
  ] as const
) {
  Deno.test(`byteWords() writes ${bytes} as ${words}`, () => {
    strictEqual(byteWords(bytes), words);
  });
}
