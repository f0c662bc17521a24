/**
 * Packed headers: the examples of RFC 7541, and what is no header at all.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import {
  encodeHeaders,
  HeaderDecoder,
  type HeaderField,
} from "../../../../mod/host/clients/hpack.ts";
import { decodeHuffman } from "../../../../mod/host/clients/huffman.ts";

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(
    hex.replaceAll(" ", "").match(/../g) ?? [],
    (digits) => Number.parseInt(digits, 16),
  );
}

const PRIVATE: HeaderField = ["cache-control", "private"];
const DATE: HeaderField = ["date", "Mon, 21 Oct 2013 20:13:21 GMT"];
const LOCATION: HeaderField = ["location", "https://www.example.com"];

/** Name, the blocks of one connection, what each says. */
const EXAMPLES: readonly [
  string,
  readonly (readonly [string, readonly HeaderField[]])[],
][] = [
  ["C.2.1 literal with indexing", [[
    "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
    [["custom-key", "custom-header"]],
  ]]],
  ["C.2.2 literal without indexing", [[
    "040c 2f73 616d 706c 652f 7061 7468",
    [[":path", "/sample/path"]],
  ]]],
  ["C.2.3 never indexed", [[
    "1008 7061 7373 776f 7264 0673 6563 7265 74",
    [["password", "secret"]],
  ]]],
  ["C.2.4 indexed", [["82", [[":method", "GET"]]]]],
  ["C.4 Huffman, with a table", [
    ["8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", [
      [":method", "GET"],
      [":scheme", "http"],
      [":path", "/"],
      [":authority", "www.example.com"],
    ]],
    ["8286 84be 5886 a8eb 1064 9cbf", [
      [":method", "GET"],
      [":scheme", "http"],
      [":path", "/"],
      [":authority", "www.example.com"],
      ["cache-control", "no-cache"],
    ]],
  ]],
  ["C.6 responses", [
    [
      "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
      [[":status", "302"], PRIVATE, DATE, LOCATION],
    ],
    ["4883 640e ffc1 c0bf", [[":status", "307"], PRIVATE, DATE, LOCATION]],
  ]],
  ["a table that is given up", [
    ["4003 6162 6303 6465 66", [["abc", "def"]]],
    ["20", []],
  ]],
];

for (const [name, blocks] of EXAMPLES) {
  Deno.test(`HeaderDecoder reads RFC 7541 ${name} (PR-06)`, () => {
    const decoder = new HeaderDecoder();
    for (const [hex, fields] of blocks) {
      deepStrictEqual(decoder.decode(bytes(hex)), fields);
    }
  });
}

const NONSENSE: readonly [string, string][] = [
  ["an index of nothing", "80"],
  ["an index beyond the table", "be"],
  ["a number without an end", "ffff ffff ffff ffff"],
  ["a text that breaks off", "400a 6375"],
  ["a table that is too large", "3fff ff7f"],
  ["a text that is padded with zeros", "4003 6162 6381 00"],
  ["a text with an end in it", "4003 6162 6384 ffff ffff"],
];

for (const [name, hex] of NONSENSE) {
  Deno.test(`HeaderDecoder refuses ${name}`, () => {
    throws(() => new HeaderDecoder().decode(bytes(hex)), Error);
  });
}

Deno.test("HeaderDecoder does not unpack a few bytes into megabytes", () => {
  const value = "x".repeat(2000);
  const block = encodeHeaders([["name", value]]).slice();
  block[0] = 0x40;
  const bomb = Uint8Array.from([...block, ...Array(10_000).fill(0xbe)]);
  throws(() => new HeaderDecoder().decode(bomb), /too long/);
});

Deno.test("encodeHeaders() writes what is read back, long texts too", () => {
  const fields: HeaderField[] = [
    [":path", "/x"],
    ["long", "y".repeat(1000)],
    ["edge", "z".repeat(127)],
  ];
  deepStrictEqual(new HeaderDecoder().decode(encodeHeaders(fields)), fields);
});

Deno.test("decodeHuffman() writes no more than it may", () => {
  strictEqual(decodeHuffman(bytes("a8eb10649cbf"), 100), "no-cache");
  throws(() => decodeHuffman(bytes("a8eb10649cbf"), 3), /too long/);
});
