/**
 * The log format of CRI runtimes.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  type CriLogOptions,
  CriLogParser,
  parseCriLogHead,
} from "../../../mod/server/cri_log.ts";
import {
  findTailStart,
  LineCounter,
  searchTail,
} from "../../../mod/server/log_tail.ts";

const TIME = "2024-05-06T07:08:09.123456789Z";

/** What a log shows when it arrives in pieces of `size` bytes. */
function shown(
  log: string,
  options: Partial<CriLogOptions> & { readonly size?: number } = {},
): string {
  const { size = 1_000_000, timestamps = false, ...rest } = options;
  const parser = new CriLogParser({ timestamps, ...rest });
  const bytes = new TextEncoder().encode(log);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    pieces.push(parser.push(bytes.subarray(at, at + size)));
  }
  pieces.push(parser.end());
  return new TextDecoder().decode(
    Uint8Array.from(pieces.flatMap((p) => [...p])),
  );
}

const ROWS: readonly (readonly [string, string, string])[] = [
  [
    "whole lines of both streams",
    `${TIME} stdout F a\n${TIME} stderr F b c\n`,
    "a\nb c\n",
  ],
  [
    "parts joined",
    `${TIME} stdout P ab\n${TIME} stdout P cd\n${TIME} stdout F ef\n`,
    "abcdef\n",
  ],
  ["an empty line", `${TIME} stdout F \n`, "\n"],
  ["an empty line without its blank", `${TIME} stdout F\n`, "\n"],
  ["further tags", `${TIME} stdout P:x a\n${TIME} stdout F:x b\n`, "ab\n"],
  ["text beyond ASCII", `${TIME} stdout F grüße €\n`, "grüße €\n"],
  ["blanks in front", `${TIME} stdout F   x\n`, "  x\n"],
  ["a last line without its end", `${TIME} stdout F abc`, "abc"],
  ["no entry", "hello world\n", "hello world\n"],
  ["a single byte", "x", "x"],
  [
    "no entry among entries",
    `${TIME} stdout F a\n\nxx\n${TIME} stdout F b\n`,
    "a\n\nxx\nb\n",
  ],
  [
    "a long line that is no entry",
    `${"x".repeat(500)}\n`,
    `${"x".repeat(500)}\n`,
  ],
  ["an unknown stream", `${TIME} stdin F a\n`, `${TIME} stdin F a\n`],
  ["nothing", "", ""],
];

for (const [name, log, wanted] of ROWS) {
  Deno.test(`CriLogParser shows ${name}, however it is cut`, () => {
    for (const size of [1, 2, 3, 7, 64, 1000]) {
      strictEqual(shown(log, { size }), wanted);
    }
  });
}

Deno.test("CriLogParser writes times at the start of lines only, with nine digits", () => {
  const log = [
    "2024-05-06T07:08:09.1Z stdout P a",
    "2024-05-06T07:08:10Z stdout F b",
    "2024-05-06T07:08:11+02:00 stderr F c",
    "no entry",
    "2024-05-06T07:08:12.123456789123Z stdout F d",
    "",
  ].join("\n");
  for (const size of [1, 5, 1_000]) {
    strictEqual(
      shown(log, { timestamps: true, size }),
      [
        "2024-05-06T07:08:09.100000000Z ab",
        "2024-05-06T07:08:11.000000000+02:00 c",
        "no entry",
        "2024-05-06T07:08:12.123456789Z d",
        "",
      ].join("\n"),
    );
  }
});

Deno.test("CriLogParser writes the time of a line whose first parts are too old", () => {
  const log = [
    "2024-05-06T07:08:09Z stdout P a",
    "2024-05-06T07:08:10Z stdout P b",
    "2024-05-06T07:08:11Z stdout F c",
    "2024-05-06T07:08:09.999Z stdout P x",
    "2024-05-06T07:08:12Z stdout F d",
    "",
  ].join("\n");
  const sinceMs = Date.parse("2024-05-06T07:08:10Z");
  strictEqual(
    shown(log, { timestamps: true, sinceMs }),
    "2024-05-06T07:08:10.000000000Z bc\n2024-05-06T07:08:12.000000000Z d\n",
  );
});

Deno.test("parseCriLogHead() tells parts from whole lines", () => {
  deepStrictEqual(parseCriLogHead(`${TIME} stderr P `), {
    time: TIME,
    stream: "stderr",
    partial: true,
  });
  strictEqual(parseCriLogHead(`${TIME} stderr X `), undefined);
  strictEqual(parseCriLogHead("stderr P x"), undefined);
});

/** A file in memory that counts what is read of it. */
class MemoryFile {
  readonly #bytes: Uint8Array;
  bytesRead = 0;

  constructor(text: string) {
    this.#bytes = new TextEncoder().encode(text);
  }

  get size(): number {
    return this.#bytes.length;
  }

  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }> {
    const piece = this.#bytes.subarray(position, position + length);
    buffer.set(piece, offset);
    this.bytesRead += piece.length;
    return Promise.resolve({ bytesRead: piece.length });
  }
}

async function tail(log: string, lines: number): Promise<string> {
  const file = new MemoryFile(log);
  const start = await findTailStart(file, { size: file.size, lines });
  const bytes = new TextEncoder().encode(log);
  return shown(new TextDecoder().decode(bytes.subarray(start)));
}

for (
  const [name, log, lines, wanted] of [
    [
      "two of three lines",
      `${TIME} stdout F a\n${TIME} stdout F b\n${TIME} stdout F c\n`,
      2,
      "b\nc\n",
    ],
    ["none", `${TIME} stdout F a\n`, 0, ""],
    ["more than there are", `${TIME} stdout F a\n`, 9, "a\n"],
    [
      "a line in parts as one",
      `${TIME} stdout F x\n${TIME} stdout P a\n${TIME} stdout F b\n`,
      1,
      "ab\n",
    ],
    [
      "a line that goes on as one",
      `${TIME} stdout F x\n${TIME} stdout P a\n${TIME} stdout P b\n`,
      1,
      "ab",
    ],
    [
      "a last line without its end",
      `${TIME} stdout F x\n${TIME} stdout F y`,
      1,
      "y",
    ],
    [
      "a line whose first part has neither text nor blank",
      `${TIME} stdout F x\n${TIME} stdout P\n${TIME} stdout F b\n`,
      2,
      "x\nb\n",
    ],
    ["nothing of nothing", "", 3, ""],
    ["lines that are no entries", "a\nb\nc\n", 2, "b\nc\n"],
  ] as const
) {
  Deno.test(`findTailStart() finds ${name}`, async () => {
    strictEqual(await tail(log, lines), wanted);
  });
}

Deno.test("findTailStart() reads the end of a large log only", async () => {
  const line = `${TIME} stdout F ${"x".repeat(60)}\n`;
  const file = new MemoryFile(line.repeat(40_000));
  const start = await findTailStart(file, { size: file.size, lines: 10 });
  strictEqual(start, file.size - 10 * line.length);
  strictEqual(file.bytesRead < 100_000, true);
});

Deno.test("findTailStart() agrees with counting from the front, across blocks", async () => {
  const lines = fc.array(
    fc.record({
      parts: fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 3 }),
      end: fc.integer({ min: 0, max: 40_000 }),
    }),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.integer({ min: 0, max: 9 }),
      async (all, count) => {
        const texts = all.map(({ parts, end }) =>
          [
            ...parts.map((length) =>
              `${TIME} stdout P ${"p".repeat(length)}\n`
            ),
            `${TIME} stdout F ${"e".repeat(end)}\n`,
          ].join("")
        );
        const wanted = count === 0 ? "" : texts.slice(-count).join("");
        strictEqual(await tail(texts.join(""), count), shown(wanted));
      },
    ),
    { numRuns: 60, seed: 7 },
  );
});

Deno.test("searchTail() reads no further when whoever asked has gone", async () => {
  const stop = new AbortController();
  let reads = 0;
  const file = {
    read: (buffer: Uint8Array) => {
      if (++reads === 3) stop.abort(new Error("gone"));
      return Promise.resolve({ bytesRead: buffer.length });
    },
  };
  // One line, as a container may make it by a hole through a hostPath.
  const searching = searchTail(file, new LineCounter(1), {
    size: 2 ** 30,
    signal: stop.signal,
  });
  await rejects(searching, /gone/);
  strictEqual(reads, 3);
});
