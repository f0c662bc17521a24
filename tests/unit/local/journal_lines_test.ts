/**
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sealRecord } from "../../../mod/host/files/mod.ts";
import {
  changesText,
  readJournal,
  wholeText,
} from "../../../mod/local/journal_lines.ts";

const WHOLE = wholeText([["a", 1], ["b", { c: 2 }]]);

function read(text: string) {
  const { entries, ...rest } = readJournal(new TextEncoder().encode(text));
  return { entries: Object.fromEntries(entries), ...rest };
}

/** A text with one of its lines spoiled, from 0 on. */
function spoiled(text: string, line: number): string {
  return text.split("\n").map((each, at) =>
    at === line ? each.replace('"version":1', '"version":0') : each
  ).join("\n");
}

const SOUND = { isTorn: false, lost: [], isDamaged: false };

Deno.test("a whole file says all that is in it", () => {
  deepStrictEqual(read(WHOLE), { entries: { a: 1, b: { c: 2 } }, ...SOUND });
  deepStrictEqual(read(wholeText([])), { entries: {}, ...SOUND });
});

Deno.test("changes come after what was there, in their order", () => {
  const text = WHOLE +
    changesText(new Map<string, unknown>([["a", 5], ["b", undefined]]), 0) +
    changesText(new Map([["d", 6]]), 0);
  deepStrictEqual(read(text), { entries: { a: 5, d: 6 }, ...SOUND });
});

const A = changesText(new Map([["a", 2]]), 0);
const B = changesText(new Map([["b", 3]]), 0);
const SYNCED = changesText(new Map([["d", 4]]), (WHOLE + A).length);
const HALF = changesText(new Map([["d", 4]]), WHOLE.length);

const READ: readonly (readonly [string, string, ReturnType<typeof read>])[] = [
  [
    "a last line that is cut",
    WHOLE + A + B.slice(0, -10),
    { entries: { a: 2, b: { c: 2 } }, ...SOUND, isTorn: true },
  ],
  [
    "a last line without its end",
    WHOLE + A.trimEnd(),
    { entries: { a: 1, b: { c: 2 } }, ...SOUND, isTorn: true },
  ],
  [
    "a bad line before others that were not synced",
    spoiled(WHOLE + A + B, 3),
    { entries: { a: 1, b: { c: 2 } }, ...SOUND, isTorn: true },
  ],
  [
    "a bad line before one that knows it was synced",
    spoiled(WHOLE + A + SYNCED, 3),
    {
      entries: { a: 1, b: { c: 2 }, d: 4 },
      isTorn: false,
      lost: [],
      isDamaged: true,
    },
  ],
  [
    "a bad line before one that knows of less",
    spoiled(WHOLE + A + HALF, 3),
    { entries: { a: 1, b: { c: 2 } }, ...SOUND, isTorn: true },
  ],
  [
    "damage and a cut end",
    spoiled(WHOLE + A + SYNCED, 3) + B.slice(0, -1),
    {
      entries: { a: 1, b: { c: 2 }, d: 4 },
      isTorn: true,
      lost: [],
      isDamaged: true,
    },
  ],
  [
    "a bad value",
    spoiled(WHOLE, 1),
    { entries: { b: { c: 2 } }, isTorn: false, lost: ["a"], isDamaged: false },
  ],
  [
    "a bad value at the end",
    spoiled(WHOLE, 2),
    { entries: { a: 1 }, isTorn: false, lost: ["b"], isDamaged: false },
  ],
  [
    "a bad value that was replaced",
    spoiled(WHOLE + A, 1),
    { entries: { a: 2, b: { c: 2 } }, ...SOUND },
  ],
  [
    "a bad value that has gone",
    spoiled(WHOLE + changesText(new Map([["a", undefined]]), 0), 1),
    { entries: { b: { c: 2 } }, ...SOUND },
  ],
  [
    "a file that ends too early",
    WHOLE.split("\n").slice(0, 2).join("\n") + "\n",
    { entries: { a: 1 }, isTorn: false, lost: ["b"], isDamaged: false },
  ],
  [
    "a bad head",
    spoiled(WHOLE + A, 0),
    {
      entries: { a: 2, b: { c: 2 } },
      isTorn: false,
      lost: [],
      isDamaged: true,
    },
  ],
  [
    "a bad head and a bad value",
    spoiled(spoiled(WHOLE + A, 0), 2),
    { entries: { a: 2 }, isTorn: false, lost: [], isDamaged: true },
  ],
  [
    "a bad head and a bad value, and no changes",
    spoiled(spoiled(WHOLE, 0), 2),
    { entries: { a: 1 }, isTorn: false, lost: [], isDamaged: true },
  ],
  [
    "nothing at all",
    "",
    { entries: {}, isTorn: false, lost: [], isDamaged: true },
  ],
  [
    "a head of something else",
    sealRecord({ kind: "head", keys: [1] }).text +
    WHOLE.split("\n").slice(1).join("\n"),
    {
      entries: { a: 1, b: { c: 2 } },
      isTorn: false,
      lost: [],
      isDamaged: true,
    },
  ],
  [
    "lines of a later version",
    WHOLE + sealRecord({ kind: "more", key: "z", value: 1 }).text +
    sealRecord([1]).text.replace("x", "x") +
    sealRecord({ kind: "changes", changes: [1, [2], ["e", 5]] }).text,
    { entries: { a: 1, b: { c: 2 } }, ...SOUND, isTorn: true },
  ],
  [
    "changes with more in them",
    WHOLE + sealRecord({ kind: "changes", changes: [1, [2], ["e", 5]] }).text +
    sealRecord({ kind: "changes", changes: {} }).text +
    sealRecord({ kind: "entry", key: 1, value: 1 }).text,
    { entries: { a: 1, b: { c: 2 }, e: 5 }, ...SOUND },
  ],
];

for (const [words, text, wanted] of READ) {
  Deno.test(`readJournal() reads ${words}`, () => {
    deepStrictEqual(read(text), wanted);
  });
}

Deno.test("readJournal() reads very many lines", () => {
  const keys = Array.from({ length: 130_000 }, (_, at) => `${at}`);
  const line = sealRecord({ kind: "entry", key: "0", value: 0 }).text;
  const head = sealRecord({ kind: "head", keys: [] }).text;
  const { isDamaged, isTorn } = read(head + line.repeat(keys.length));
  strictEqual(isDamaged || isTorn, false);
});
