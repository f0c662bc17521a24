/**
 * How often a manifest is read, how long a missing one is waited for, and what may be found
 * elsewhere.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { FileEntry } from "../../../../mod/source/file_state.ts";
import type { PendingLook } from "../../../../mod/source/file/file_hints.ts";
import { ManifestTable } from "../../../../mod/source/file/manifest_table.ts";
import { sourcePod } from "../../../support/source/source_pods.ts";

const SETTLE_MS = 100;
const PERIOD_MS = 20_000;

const NOW: PendingLook = { kind: "now" };
const STAMP = { size: 10, modifiedMs: 5, changedMs: 5, inode: 7 };
const GIVEN: FileEntry = {
  verdict: {
    kind: "accepted",
    content: { pods: [sourcePod()], objects: [], workloads: [] },
  },
};

function readAt(sinceMs: number): FileEntry {
  return { ...GIVEN, read: { stamp: STAMP, sinceMs, isProof: true } };
}

/** All was looked at, and the next full look is far away. */
function table(): ManifestTable {
  const one = new ManifestTable(SETTLE_MS);
  one.scans.begin(0, PERIOD_MS);
  return one;
}

/** The file was read that often, from the first second on. */
function readOften(times: number): ManifestTable {
  const one = table();
  for (let at = 0; at < times; at++) one.enter("a", GIVEN, 1000 + at);
  return one;
}

Deno.test("ManifestTable reads a file ten times in a second and then not before it is over", () => {
  const nine = readOften(9);
  nine.noteChange("a", NOW, 1999);
  deepStrictEqual(nine.get("a").look, NOW);
  const ten = readOften(10);
  ten.noteChange("a", { ...NOW, closedMs: 3 }, 1999);
  deepStrictEqual(ten.get("a").look, { ...NOW, closedMs: 3, dueMs: 2000 });
  deepStrictEqual(ten.takeDue(1999, 9), []);
  strictEqual(ten.dueMs, 2000);
  strictEqual(ten.takeDue(2000, 9).length, 1);
});

Deno.test("ManifestTable counts the reads of each second anew", () => {
  const one = readOften(10);
  one.noteChange("a", NOW, 2000);
  deepStrictEqual(one.get("a").look, NOW);
  one.enter("a", GIVEN, 1999);
  deepStrictEqual(one.get("a").reads, { sinceMs: 1000, count: 11 });
  one.enter("a", GIVEN, 2000);
  deepStrictEqual(one.get("a").reads, { sinceMs: 2000, count: 1 });
});

Deno.test("ManifestTable looks at what moved and at what is being written as if it had not been read often", () => {
  const one = readOften(10);
  one.noteMove({ from: "a", to: "b" }, 1500);
  deepStrictEqual(one.get("a").look, { ...NOW, together: ["a", "b"] });
  const quiet: PendingLook = { kind: "when_quiet", dueMs: 1600 };
  one.noteChange("a", quiet, 1500);
  deepStrictEqual(one.get("a").look, quiet);
});

Deno.test("ManifestTable waits for the successor of a missing file as long as a file must be quiet", () => {
  const one = table();
  strictEqual(one.awaits("a", 1000, SETTLE_MS), false);
  one.update("a", { entry: GIVEN });
  strictEqual(one.awaits("a", 1000, SETTLE_MS), true);
  deepStrictEqual(one.get("a").look, { kind: "when_quiet", dueMs: 1100 });
  strictEqual(one.get("a").missingMs, 1000);
  strictEqual(one.awaits("a", 1099, SETTLE_MS), true);
  strictEqual(one.awaits("a", 1100, SETTLE_MS), false);
});

/** A file is missing since the first second, and moved to `b`. */
function missing(
  target: { readonly entry?: FileEntry; readonly look?: PendingLook },
): ManifestTable {
  const one = table();
  one.update("b", target);
  one.update("a", { entry: GIVEN, missingMs: 1000, movedTo: "b" });
  return one;
}

const TARGETS: readonly {
  readonly says: string;
  readonly target: Parameters<typeof missing>[0];
  readonly dueMs: number | undefined;
}[] = [
  { says: "is read", target: { entry: readAt(500) }, dueMs: undefined },
  {
    says: "is to be looked at and was not read since",
    target: { entry: readAt(1000), look: NOW },
    dueMs: 5100,
  },
  {
    says: "is to be looked at again and was read since",
    target: { entry: readAt(1001), look: NOW },
    dueMs: undefined,
  },
  { says: "is to be looked at", target: { look: NOW }, dueMs: 5100 },
  { says: "cannot be read", target: { entry: GIVEN }, dueMs: 6000 },
  { says: "is gone", target: {}, dueMs: undefined },
];

for (const { says, target, dueMs } of TARGETS) {
  const waits = dueMs === undefined ? "does not wait" : "waits";
  Deno.test(`ManifestTable ${waits} with a missing file when what it moved to ${says}`, () => {
    const one = missing(target);
    strictEqual(one.awaits("a", 5000, SETTLE_MS), dueMs !== undefined);
    strictEqual(one.get("a").look?.dueMs, dueMs);
  });
}

Deno.test("ManifestTable follows what moves on from name to name", () => {
  const one = table();
  one.update("a", { entry: GIVEN });
  one.update("b", { entry: GIVEN });
  one.noteMove({ from: "a", to: "b" }, 0);
  one.noteMove({ from: "b", to: "c" }, 0);
  deepStrictEqual(
    ["a", "b", "c"].map((path) => one.get(path).movedTo),
    ["c", "c", undefined],
  );
  strictEqual(one.mover(0)("a"), true);
  one.takeDue(0, 9);
  strictEqual(one.mover(0)("a"), false);
});

Deno.test("ManifestTable holds few names of a file that moves on without pause", () => {
  const one = table();
  for (let at = 0; at < 500; at++) {
    one.noteMove({ from: `${at}`, to: `${at + 1}` }, at);
    // The first name was looked at, the other is to be.
    one.update(`${at}`, { look: undefined, changingMs: undefined });
    one.notePlaces();
  }
  let names = 0;
  const count = (): boolean => {
    names++;
    return false;
  };
  one.moves.mover(500, count)(undefined);
  strictEqual(names, 1);
});

Deno.test("ManifestTable forgets where went what a name had before something moved there", () => {
  const one = table();
  one.update("a", { entry: GIVEN });
  one.update("b", { entry: GIVEN });
  const targets = () => ["a", "b", "c"].map((path) => one.get(path).movedTo);
  one.noteMove({ from: "b", to: "c" }, 0);
  one.noteMove({ from: "a", to: "b" }, 0);
  deepStrictEqual(targets(), ["b", undefined, undefined]);
  one.noteMove({ from: "b", to: "a" }, 0);
  deepStrictEqual(targets(), [undefined, "a", undefined]);
});

Deno.test("ManifestTable believes that what a file had moved only if a hint came since", () => {
  const one = table();
  one.update("a", { entry: GIVEN, missingMs: 3, movedTo: "b" });
  one.update("c", { look: NOW, missingMs: 3, movedTo: "b" });
  one.noteFound("a");
  one.noteFound("c");
  deepStrictEqual(
    ["a", "c"].map((path) => one.get(path).movedTo),
    [undefined, "b"],
  );
  deepStrictEqual(
    ["a", "c"].map((path) => one.get(path).missingMs),
    [undefined, undefined],
  );
});

const QUIET: PendingLook = { kind: "when_quiet", dueMs: 9000 };
const UNSETTLED: readonly {
  readonly says: string;
  readonly state: Parameters<ManifestTable["update"]>[1];
  readonly isUnsettled: boolean;
}[] = [
  { says: "is new", state: { look: QUIET }, isUnsettled: true },
  {
    says: "is new and may be open",
    state: { look: { ...QUIET, openUntilMs: 9000 } },
    isUnsettled: false,
  },
  { says: "is complete", state: { look: NOW }, isUnsettled: false },
  {
    says: "is known",
    state: { entry: GIVEN, look: QUIET },
    isUnsettled: false,
  },
  { says: "is at rest", state: { changingMs: 3 }, isUnsettled: false },
];

for (const { says, state, isUnsettled } of UNSETTLED) {
  Deno.test(`ManifestTable is ${isUnsettled ? "unsettled" : "settled"} when a file ${says}`, () => {
    const one = table();
    one.update("a", state);
    strictEqual(one.isUnsettled(0, 10), isUnsettled);
  });
}

Deno.test("ManifestTable is unsettled while something is away, or a full look is due that did not begin", () => {
  const one = table();
  strictEqual(one.isUnsettled(0, PERIOD_MS - 1), false);
  strictEqual(one.isUnsettled(0, PERIOD_MS), true);
  one.noteAway(10);
  strictEqual(one.isAway, true);
  one.scans.begin(500, PERIOD_MS);
  strictEqual(one.isUnsettled(0, 600), true);
  one.noteBack();
  strictEqual(one.isUnsettled(0, 600), false);
});

Deno.test("ManifestTable reads all anew that may be on another disk", () => {
  const one = table();
  one.update("a", { entry: readAt(0) });
  one.update("b", { entry: GIVEN });
  deepStrictEqual(["a", "b"].map((path) => one.isKnown(path, STAMP)), [
    true,
    false,
  ]);
  one.noteOther(700);
  strictEqual(one.isKnown("a", STAMP), false);
  strictEqual(one.get("a").entry?.read?.isProof, false);
  strictEqual(one.dueMs, 700);
});
