/**
 * Amounts of bytes as clients show them.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { amountText } from "../../../mod/cli/text/mod.ts";

for (
  const [bytes, wanted] of [
    [undefined, undefined],
    [0, "0"],
    [7, "7"],
    [1023, "1023"],
    [1024, "1Ki"],
    [1536, "1.5Ki"],
    [9.9 * 1024, "9.9Ki"],
    [10 * 1024, "10Ki"],
    [10.4 * 1024, "10Ki"],
    [1024 ** 2 - 1, "1024Ki"],
    [1024 ** 2, "1Mi"],
    [1.25 * 1024 ** 3, "1.3Gi"],
    [2 * 1024 ** 4, "2Ti"],
    [1024 ** 5, "1024Ti"],
  ] as const
) {
  Deno.test(`amountText() writes ${bytes} as ${wanted}`, () => {
    strictEqual(amountText(bytes), wanted);
  });
}
