/** Sets of indexes; the rows are named after upstream's indexed_job_utils_test.go. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  countCommon,
  countIndexes,
  formatIndexes,
  hasIndex,
  indexSetOf,
  missingIndexes,
  parseIndexes,
  unionOf,
  wholeNumber,
} from "../../../../mod/controller/job/indexes.ts";

const MERGED: Readonly<
  Record<string, readonly [string, readonly number[], number, string]>
> = {
  "one index": ["", [3], 10, "3"],
  "two separate": ["", [3, 5], 10, "3,5"],
  "two neighbours": ["", [4, 3], 10, "3,4"],
  "two intervals": ["", [8, 9, 10, 0, 1, 2], 20, "0-2,8-10"],
  "one index and one interval": ["0,2-3", [], 10, "0,2,3"],
  "prev interval out of range": ["0-5,8-10", [], 8, "0-5"],
  "prev interval partially out of range": ["0-5,8-10", [], 10, "0-5,8,9"],
  "prev and new separate": ["0,4,5", [2, 8], 10, "0,2,4,5,8"],
  "prev between new": ["3-5", [1, 2, 6], 10, "1-6"],
  "new between prev": ["0-2,6-8", [4, 5], 10, "0-2,4-8"],
  "new within prev": ["1-7", [3, 4, 7], 10, "1-7"],
  "corrupted interval": ["0,1-foo,bar,3--4,-5,7-6", [9], 10, "0,9"],
  "prev ranges that touch": ["0-2,3-5,6", [], 10, "0-6"],
  "prev ranges that overlap, in any order": ["4-8,0-5", [], 10, "0-8"],
  "nothing": ["", [], 10, ""],
};

for (const [name, [text, fresh, completions, want]] of Object.entries(MERGED)) {
  Deno.test(`unionOf() of what is written and what is new: ${name}`, () => {
    const union = unionOf(parseIndexes(text, completions), indexSetOf(fresh));
    strictEqual(formatIndexes(union), want);
    deepStrictEqual(parseIndexes(want, completions), union);
  });
}

Deno.test("unionOf() keeps the longer of two ranges that begin together", () => {
  const [long, short] = [parseIndexes("2-9", 20), parseIndexes("2-4", 20)];
  strictEqual(formatIndexes(unionOf(long, short)), "2-9");
  strictEqual(formatIndexes(unionOf(short, long)), "2-9");
});

Deno.test("parseIndexes() reads nothing from an absent text", () => {
  deepStrictEqual(parseIndexes(undefined, 5), []);
});

Deno.test("indexSetOf() takes each index once", () => {
  strictEqual(countIndexes(indexSetOf([3, 3, 5, 3])), 2);
});

Deno.test("hasIndex() knows the ends of ranges", () => {
  const set = parseIndexes("2-4,7", 10);
  const found = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((at) => hasIndex(set, at));
  deepStrictEqual(found, [2, 3, 4, 7]);
});

Deno.test("countCommon() counts what is in both sets", () => {
  const set = (text: string) => parseIndexes(text, 100);
  strictEqual(countCommon(set("0-10,20"), set("5-15,20-22")), 7);
  strictEqual(countCommon(set("0-3"), set("4-6")), 0);
});

const MISSING: Readonly<
  Record<string, readonly [string, number, number, readonly number[]]>
> = {
  "cnt greater than completions": ["", 8, 5, [0, 1, 2, 3, 4]],
  "cnt less than completions": ["", 2, 5, [0, 1]],
  "first pods active": ["0,1", 3, 10, [2, 3, 4]],
  "last pods active or succeeded": ["6-9", 10, 10, [0, 1, 2, 3, 4, 5]],
  "mixed": ["3-5,7", 5, 10, [0, 1, 2, 6, 8]],
  "beyond the completions": ["20-30", 5, 3, [0, 1, 2]],
  "none wanted": ["1", 0, 3, []],
};

for (
  const [name, [text, count, completions, want]] of Object.entries(MISSING)
) {
  Deno.test(`missingIndexes() gives the first that are free: ${name}`, () => {
    const set = parseIndexes(text, 100);
    deepStrictEqual(missingIndexes(set, { count, completions }), want);
  });
}

// TestParseIndexFailureCountAnnotation and the like
const NUMBERS: Readonly<Record<string, number | undefined>> = {
  "": undefined,
  "0": 0,
  "6": 6,
  "2147483647": 2147483647,
  "2147483648": undefined,
  "99999999999": undefined,
  "-1": undefined,
  "1.5": undefined,
  "foo": undefined,
  "x1": undefined,
  "1x": undefined,
};

for (const [text, want] of Object.entries(NUMBERS)) {
  Deno.test(`wholeNumber() reads "${text}" as ${want}`, () => {
    strictEqual(wholeNumber(text), want);
  });
}
