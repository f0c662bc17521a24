/**
 * What is seen of the pieces that a runtime writes.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  bytesSoFar,
  type IngestPicture,
  seeIngests,
  waitingPieces,
} from "../../../../mod/runtime/images/ingest_picture.ts";

const SINCE_MS = 1_000_000;

/** A piece: its name, the bytes that are there, those there will be, when it was begun. */
type Row = readonly [
  ref: string,
  bytes: number,
  totalBytes?: number,
  begunMs?: number,
];

/** What three questions answer after each of these looks, a second apart. */
function seen(...looks: readonly (readonly Row[])[]) {
  let picture: IngestPicture | undefined;
  return looks.map((rows, at) => {
    const ingests = rows.map((
      [ref, bytes, totalBytes = 100, begunMs = SINCE_MS],
    ) => ({ ref, bytes, totalBytes, begunMs }));
    const atMs = (at + 1) * 1_000;
    picture = seeIngests(picture, { ingests, atMs, sinceMs: SINCE_MS });
    return [
      picture.movedMs,
      waitingPieces(picture).length,
      bytesSoFar(picture),
    ];
  });
}

const NEVER = -Infinity;
const OLD = SINCE_MS - 1;

const CASES: readonly (readonly [
  string,
  readonly (readonly Row[])[],
  readonly (readonly number[])[],
])[] = [
  ["nothing", [[], []], [[NEVER, 0, 0], [NEVER, 0, 0]]],
  [
    "a piece that grows",
    [[["a", 0]], [["a", 10]], [["a", 10]], [["a", 11]]],
    [[1_000, 1, 0], [2_000, 1, 10], [2_000, 1, 10], [4_000, 1, 11]],
  ],
  [
    "a piece that becomes whole, and one after it",
    [[["a", 10]], [], [["b", 5]]],
    [[1_000, 1, 10], [2_000, 0, 100], [3_000, 1, 105]],
  ],
  [
    "a piece of unknown length that is gone",
    [[["a", 10, 0]], []],
    [[1_000, 1, 10], [2_000, 0, 10]],
  ],
  [
    "what an earlier writer left",
    [[["old", 50, 100, OLD]], [["old", 50, 100, OLD]], []],
    [[NEVER, 0, 0], [NEVER, 0, 0], [NEVER, 0, 0]],
  ],
  [
    "what an earlier writer left, and someone goes on with",
    [[["old", 50, 100, OLD]], [["old", 60, 100, OLD]], [
      ["old", 60, 100, OLD],
    ]],
    [[NEVER, 0, 0], [2_000, 1, 60], [2_000, 1, 60]],
  ],
  [
    "what appears between two looks, whatever the wall clock says",
    [[], [["a", 0, 100, OLD]]],
    [[NEVER, 0, 0], [2_000, 1, 0]],
  ],
  [
    "a piece that was begun anew",
    [[["a", 50]], [["a", 0]]],
    [[1_000, 1, 50], [2_000, 1, 0]],
  ],
  [
    "pieces that have come and are only checked",
    [[["a", 100], ["b", 99]]],
    [[1_000, 1, 199]],
  ],
  [
    "several of which one grows",
    [[["a", 0], ["b", 0]], [["a", 0], ["b", 1]], [["a", 0], ["b", 1]]],
    [[1_000, 2, 0], [2_000, 2, 1], [2_000, 2, 1]],
  ],
];

for (const [what, looks, wanted] of CASES) {
  Deno.test(`seeIngests() sees ${what}`, () => {
    deepStrictEqual(seen(...looks), wanted);
  });
}
