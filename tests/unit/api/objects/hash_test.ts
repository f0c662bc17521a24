/**
 * @module
 */

import { notStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  containerHash,
  fnv1a128Hex,
  fnv1a32Hex,
  fnv1a64Hex,
  stableJson,
} from "../../../../mod/api/objects/hash.ts";

// The published test vectors of FNV-1a.
const VECTORS = [
  {
    text: "",
    hex32: "811c9dc5",
    hex64: "cbf29ce484222325",
    hex128: "6c62272e07bb014262b821756295c58d",
  },
  {
    text: "a",
    hex32: "e40c292c",
    hex64: "af63dc4c8601ec8c",
    hex128: "d228cb696f1a8caf78912b704e4a8964",
  },
  {
    text: "foobar",
    hex32: "bf9cf968",
    hex64: "85944171f73967e8",
    hex128: "343e1662793c64bf6f0d3597ba446f18",
  },
];

for (const { text, hex32, hex64, hex128 } of VECTORS) {
  Deno.test(`fnv1a*Hex() give the known hashes of "${text}"`, () => {
    strictEqual(fnv1a32Hex(text), hex32);
    strictEqual(fnv1a64Hex(text), hex64);
    strictEqual(fnv1a128Hex(text), hex128);
  });
}

Deno.test("fnv1a64Hex() and fnv1a128Hex() agree with plain bigint arithmetic", () => {
  const plain = (
    bytes: Uint8Array,
    basis: bigint,
    { prime, bits }: { prime: bigint; bits: number },
  ) =>
    bytes.reduce(
      (hash, byte) => BigInt.asUintN(bits, (hash ^ BigInt(byte)) * prime),
      basis,
    );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
    const basis64 = 0xcbf29ce484222325n;
    const prime64 = { prime: (1n << 40n) + 0x1b3n, bits: 64 };
    strictEqual(
      BigInt(`0x${fnv1a64Hex(bytes)}`),
      plain(bytes, basis64, prime64),
    );
    const basis128 = 0x6c62272e07bb014262b821756295c58dn;
    const prime128 = { prime: (1n << 88n) + 0x13bn, bits: 128 };
    strictEqual(
      BigInt(`0x${fnv1a128Hex(bytes)}`),
      plain(bytes, basis128, prime128),
    );
  }));
});

Deno.test("stableJson() gives equal text for equal values whatever the order of keys", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const text = stableJson(value);
    strictEqual(stableJson(reversed(value)), text);
    strictEqual(stableJson(JSON.parse(text)), text);
  }));
});

Deno.test("stableJson() leaves out undefined members and writes bigints as integers", () => {
  strictEqual(stableJson({ b: undefined, a: 2n ** 60n }), `{"a":${2n ** 60n}}`);
});

Deno.test("containerHash() changes with name and image only", () => {
  const base = { name: "app", image: "app:1" };
  strictEqual(
    containerHash({ ...base, ...{ command: ["x"] } }),
    containerHash(base),
  );
  notStrictEqual(
    containerHash({ ...base, image: "app:2" }),
    containerHash(base),
  );
  notStrictEqual(containerHash({ ...base, name: "b" }), containerHash(base));
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).reverse().map(([key, one]) => [key, reversed(one)]),
  );
}
