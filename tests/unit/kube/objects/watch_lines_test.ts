import { deepStrictEqual, rejects } from "node:assert/strict";
import { watchLines } from "../../../../mod/kube/objects/watch_lines.ts";
import { below, fuzz } from "../../../support/fuzz/fuzz.ts";

const UTF8 = new TextEncoder();
const OPTIONS = { what: "watch pods", maxBytes: 1000 };

async function* piecesOf(
  pieces: readonly Uint8Array[],
): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function read(
  pieces: readonly Uint8Array[],
  maxBytes: number = OPTIONS.maxBytes,
): Promise<unknown[]> {
  const options = { ...OPTIONS, maxBytes };
  return await Array.fromAsync(watchLines(piecesOf(pieces), options));
}

/** A text in pieces of `size` bytes. */
function cut(text: string, size: number): readonly Uint8Array[] {
  const bytes = UTF8.encode(text);
  return Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, at) => bytes.subarray(at * size, (at + 1) * size),
  );
}

const VALUES = [{ a: 1 }, "Schrödinger ☃ 🐈", 7, [], { b: [null] }];
const TEXT = VALUES.map((value) => `${JSON.stringify(value)}\n`).join("");

for (let size = 1; size <= UTF8.encode(TEXT).length; size++) {
  Deno.test(`watchLines() reads lines in pieces of ${size} bytes`, async () => {
    deepStrictEqual(await read(cut(TEXT, size)), VALUES);
  });
}

Deno.test("watchLines() reads lines cut at any two places", async () => {
  const bytes = UTF8.encode(TEXT);
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second++) {
      const pieces = [
        bytes.subarray(0, first),
        bytes.subarray(first, second),
        bytes.subarray(second),
      ];
      deepStrictEqual(await read(pieces), VALUES);
    }
  }
});

fuzz("watchLines() reads lines in pieces of any sizes", {
  inputs: 200,
  run: async ({ random }) => {
    const values = Array.from(
      { length: below(random, 30) },
      () => "é".repeat(below(random, 40)),
    );
    const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
    const bytes = UTF8.encode(text);
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < bytes.length;) {
      const to = from + below(random, 60);
      pieces.push(bytes.subarray(from, to));
      from = to;
    }
    deepStrictEqual(await read(pieces, 100), values);
  },
});

Deno.test("watchLines() skips empty lines and takes those of other systems", async () => {
  deepStrictEqual(await read(cut("\n\n1\n\n2\r\n\n", 3)), [1, 2]);
  deepStrictEqual(await read([]), []);
});

Deno.test("watchLines() bounds a line, however it comes", async () => {
  const most = `"${"x".repeat(8)}"`;
  for (const size of [1, 3, 100]) {
    deepStrictEqual(await read(cut(`${most}\n${most}\n`, size), 10), [
      "x".repeat(8),
      "x".repeat(8),
    ]);
    for (const text of [`${most} \n`, `${most} `, `1\n${most} \n`]) {
      await rejects(read(cut(text, size), 10), {
        name: "ApiFailure",
        reason: "Garbage",
        message: "Cannot watch pods: a line is longer than 10 bytes",
      });
    }
  }
});

for (
  const [name, text, message] of [
    ["is no JSON", "1\n<html>\n", "Cannot watch pods: a line is no JSON"],
    [
      "ends within a line",
      '1\n{"a":',
      "Cannot watch pods: it ends in the middle of a line",
    ],
    [
      "ends before the end of a line",
      "1\n2",
      "Cannot watch pods: it ends in the middle of a line",
    ],
  ] as const
) {
  for (const size of [1, 100]) {
    Deno.test(`watchLines() refuses what ${name}, in pieces of ${size}, after what came before`, async () => {
      const seen: unknown[] = [];
      const follow = async () => {
        for await (
          const value of watchLines(piecesOf(cut(text, size)), OPTIONS)
        ) seen.push(value);
      };
      await rejects(follow(), { reason: "Garbage", message });
      deepStrictEqual(seen, [1]);
    });
  }
}

Deno.test("watchLines() refuses bytes that are no text", async () => {
  await rejects(read([new Uint8Array([34, 0xff, 34, 10])]), {
    message: "Cannot watch pods: a line is no JSON",
  });
});
