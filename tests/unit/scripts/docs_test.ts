/**
 * The rules for pages, and the page of scenarios.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { fillScenarios } from "../../../scripts/gen_scenarios.ts";
import {
  findPageFaults,
  findRoomRowFaults,
} from "../../../scripts/tidy/docs.ts";

const PAGES: Readonly<Record<string, string>> = {
  "docs/other.md": "# A page\n\n## What's `in` it\n",
  "mod/pod/plan.ts": "",
};

function messagesOf(path: string, text: string): string[] {
  return findPageFaults(path, {
    exists: (name) => name === path || Object.hasOwn(PAGES, name),
    read: (name) => name === path ? text : PAGES[name] ?? "",
  }).map(({ line, message }) => `${line}: ${message}`);
}

const LINES: readonly (readonly [string, string, readonly string[]])[] = [
  ["a page", "see [it](other.md)", []],
  ["a heading", "see [it](other.md#whats-in-it)", []],
  ["a heading of its own", "# Here\n[it](#here)", []],
  ["another site", "see [it](https://kubernetes.io/x)", []],
  ["a file above", "see [it](../mod/pod/plan.ts)", []],
  ["a file in backticks", "see `mod/pod/plan.ts`", []],
  ["a pattern in backticks", "see `mod/*/mod.ts`", []],
  [
    "a page that is not there",
    "\nsee [it](gone.md)",
    ['2: the link "gone.md" leads nowhere'],
  ],
  [
    "a heading that is not there",
    "[it](other.md#gone)",
    ['1: the link "other.md#gone" leads nowhere'],
  ],
  [
    "a file in backticks that is not there",
    "`mod/pod/gone.ts`",
    ['1: "mod/pod/gone.ts" is not there any more'],
  ],
];
for (const [name, text, expected] of LINES) {
  Deno.test(`findPageFaults() judges a link to ${name}`, () => {
    deepStrictEqual(messagesOf("docs/page.md", text), expected);
  });
}

Deno.test("findPageFaults() refuses a README of more than 150 lines", () => {
  deepStrictEqual(messagesOf("README.md", "a\n".repeat(150)), []);
  deepStrictEqual(messagesOf("README.md", "a\n".repeat(151)), [
    "151: 151 lines, at most 150; move text into docs/",
  ]);
  deepStrictEqual(messagesOf("docs/long.md", "a\n".repeat(151)), []);
});

Deno.test("findRoomRowFaults() compares the rooms with the page of the architecture", () => {
  const read = () => "| 2 | `mod/pod/` | pure. `plan`: next. `gone`: what? |";
  const rooms = new Set(["pod", "pod/plan", "pod/status", "cri"]);
  deepStrictEqual(
    findRoomRowFaults(rooms, { read }).map(({ message }) => message),
    [
      "has no words for mod/pod/status; say what the room does",
      "has no words for mod/cri; say what the room does",
      "there is no room mod/pod/gone",
    ],
  );
});

// Put together, so that this file names no scenario.
const [KNOWN, NEW, OLD] = ["01", "02", "03"].map((number) => `PL-${number}`);

Deno.test("fillScenarios() writes the tests of each scenario into its row", () => {
  const tests = new Map([
    ["a_test.ts", `says ${KNOWN} twice: ${KNOWN}`],
    ["b_test.ts", `says ${KNOWN}`],
  ]);
  deepStrictEqual(fillScenarios(`a\n| ${KNOWN} | it lives. | |\nb\n`, tests), {
    text: `a\n| ${KNOWN} | it lives. | a_test.ts, b_test.ts |\nb\n`,
    faults: [],
  });
});

Deno.test("fillScenarios() refuses a scenario without a row and a row without a test", () => {
  const tests = new Map([["a_test.ts", `says ${NEW}`]]);
  deepStrictEqual(fillScenarios(`| ${OLD} | it lives. | |`, tests).faults, [
    `${NEW} has no row; a_test.ts names it`,
    `no test names ${OLD}; take its row away`,
  ]);
});
