/**
 * @module
 */

import { strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  toBytes,
  toMilli,
} from "../../../../mod/api/objects/quantity.ts";

const ROWS: readonly [
  text: string | number,
  milli: bigint,
  bytes: bigint,
  canonical: string,
][] = [
  ["0", 0n, 0n, "0"],
  [1, 1000n, 1n, "1"],
  [0.5, 500n, 1n, "500m"],
  ["100m", 100n, 1n, "100m"],
  ["0.1m", 1n, 1n, "100u"],
  ["1.5", 1500n, 2n, "1500m"],
  [".5", 500n, 1n, "500m"],
  ["2.", 2000n, 2n, "2"],
  ["1k", 1_000_000n, 1000n, "1k"],
  ["64Mi", 67_108_864_000n, 67_108_864n, "64Mi"],
  ["1.5Gi", 1_610_612_736_000n, 1_610_612_736n, "1536Mi"],
  ["1e3", 1_000_000n, 1000n, "1e3"],
  ["12E-1", 1200n, 2n, "1200e-3"],
  ["-1Mi", -1_048_576_000n, -1_048_576n, "-1Mi"],
  ["1E", 10n ** 21n, 10n ** 18n, "1E"],
  ["0.0000000001", 1n, 1n, "1n"],
  ["+3", 3000n, 3n, "3"],
  [
    "9223372036854775807",
    (2n ** 63n - 1n) * 1000n,
    2n ** 63n - 1n,
    "9223372036854775807",
  ],
];

for (const [text, milli, bytes, canonical] of ROWS) {
  Deno.test(`parseQuantity() reads ${JSON.stringify(text)}`, () => {
    const quantity = parseQuantity(text);
    strictEqual(toMilli(quantity), milli);
    strictEqual(toBytes(quantity), bytes);
    strictEqual(formatQuantity(quantity), canonical);
  });
}

const BAD: readonly string[] = [
  ...[
    "",
    " 1",
    "1 ",
    "1.5.3",
    "1KiB",
    "1kb",
    "Inf",
    "NaN",
    "-",
    ".",
    "1e",
    "0x1",
  ],
  ...["1K", "1e1.5", "--1", "Mi", "1MiMi"],
];

for (const text of BAD) {
  Deno.test(`parseQuantity() refuses "${text}"`, () => {
    throws(() => parseQuantity(text), SyntaxError);
  });
}

for (
  const text of ["9223372036854775808", "1e99", "1e999999999999999999", "8Ei"]
) {
  Deno.test(`parseQuantity() refuses "${text}" as too large`, () => {
    throws(() => parseQuantity(text), RangeError);
  });
}

Deno.test("parseQuantity() takes a power that is far too small for the least amount", () => {
  strictEqual(parseQuantity("1e-999999999999999999").nano, 1n);
});

Deno.test("formatQuantity() writes what parseQuantity() reads back as the same amount", () => {
  const nano = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
  const format = fc.constantFrom(
    ...(["DecimalSI", "BinarySI", "DecimalExponent"] as const),
  );
  fc.assert(fc.property(nano, format, (nano, format) => {
    strictEqual(parseQuantity(formatQuantity({ nano, format })).nano, nano);
  }));
});

Deno.test("addQuantities() and compareQuantities() work across formats", () => {
  const sum = addQuantities(parseQuantity("1Gi"), parseQuantity("1024Mi"));
  strictEqual(formatQuantity(sum), "2Gi");
  strictEqual(compareQuantities(parseQuantity("1000m"), parseQuantity("1")), 0);
  strictEqual(compareQuantities(parseQuantity("1G"), parseQuantity("1Gi")), -1);
});
