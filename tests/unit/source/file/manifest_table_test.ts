/**
 * What is known of manifests, and when they are looked at.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { FileEntry } from "../../../../mod/source/file_state.ts";
import type { PendingLook } from "../../../../mod/source/file/file_hints.ts";
import { ManifestTable } from "../../../../mod/source/file/manifest_table.ts";
import { sourcePod } from "../../../support/source/source_pods.ts";

const GAP_MS = 100;
const PERIOD_MS = 20_000;

const ACCEPTED: FileEntry = {
  verdict: {
    kind: "accepted",
    content: { pods: [sourcePod()], objects: [], workloads: [] },
  },
};
const UNKNOWN: FileEntry = {
  verdict: {
    kind: "faulty",
    faults: [],
    named: [],
    lastGood: { kind: "unknown", reason: "EIO" },
  },
};

const at = (dueMs: number, openUntilMs?: number): PendingLook => ({
  kind: "when_quiet",
  dueMs,
  ...(openUntilMs !== undefined && { openUntilMs }),
});

function table(): ManifestTable {
  return new ManifestTable(GAP_MS);
}

Deno.test("ManifestTable asks again for what the disk does not give after 1, 2, 4, 8, 16 and then each 20 s", () => {
  const one = table();
  const waits: number[] = [];
  for (let round = 0; round < 7; round++) {
    one.enter("a", UNKNOWN, 5000);
    const { look } = one.get("a");
    if (look?.kind === "when_quiet") waits.push(look.dueMs - 5000);
    one.takeDue(Infinity, 1);
  }
  deepStrictEqual(waits, [
    1000,
    2000,
    4000,
    8000,
    16_000,
    20_000,
    20_000,
  ]);
  // Once it is known, the next time begins anew.
  one.enter("a", ACCEPTED, 5000);
  one.enter("a", UNKNOWN, 5000);
  deepStrictEqual(one.get("a").look, at(6000));
});

Deno.test("ManifestTable keeps a wish to look at what was just read", () => {
  const one = table();
  one.update("a", { look: { kind: "now" } });
  one.enter("a", ACCEPTED, 0);
  deepStrictEqual(one.get("a"), {
    entry: ACCEPTED,
    look: { kind: "now" },
    reads: { sinceMs: 0, count: 1 },
  });
});

Deno.test("ManifestTable says of a file that changes for 10 s that it is written again and again", () => {
  const one = table();
  one.update("a", { entry: ACCEPTED });
  one.noteChange("a", at(0), 1000);
  one.noteChange("b", at(0), 1000);
  one.noteChange("b", at(0), 5000);
  deepStrictEqual(one.rewritten(10_999), []);
  deepStrictEqual(
    one.rewritten(11_000).map(({ kind, file }) => `${kind} ${file}`),
    ["last_good a", "refused b"],
  );
});

Deno.test("ManifestTable says nothing of a file that became quiet, though it changes again", () => {
  const one = table();
  one.noteChange("a", at(1100), 1000);
  one.takeDue(1100, 9);
  one.endLook("a");
  one.noteChange("a", at(0), 9000);
  deepStrictEqual(one.rewritten(11_000), []);
  strictEqual(one.rewritten(19_000).length, 1);
});

Deno.test("ManifestTable takes a file for changing as long as it needs another look", () => {
  const one = table();
  one.noteChange("a", at(1100), 1000);
  one.takeDue(1100, 9);
  one.update("a", { look: at(1200) });
  one.endLook("a");
  strictEqual(one.rewritten(11_000).length, 1);
});

Deno.test("ManifestTable takes out the looks that are due, as many as are wanted", () => {
  const one = table();
  one.update("now", { look: { kind: "now" } });
  one.update("late", { look: at(101) });
  one.update("due", { entry: ACCEPTED, look: at(100) });
  one.update("quiet", { entry: ACCEPTED });
  one.update("due too", { look: at(99) });
  const names = (limit: number): readonly string[] =>
    one.takeDue(100, limit).map(([path]) => path);
  deepStrictEqual(names(2), ["now", "due"]);
  deepStrictEqual(names(2), ["due too"]);
  deepStrictEqual(names(2), []);
  strictEqual(one.get("due").entry, ACCEPTED);
});

Deno.test("ManifestTable tells when anything is due", () => {
  const one = table();
  strictEqual(one.dueMs, -Infinity);
  strictEqual(one.scans.nextMs <= 0, true);
  one.scans.begin(0, PERIOD_MS);
  strictEqual(one.dueMs, PERIOD_MS);
  strictEqual(one.scans.nextMs <= PERIOD_MS - 1, false);
  strictEqual(one.scans.nextMs <= PERIOD_MS, true);
  one.update("a", { look: at(700) });
  one.update("b", { look: at(500) });
  one.update("c", { look: at(600) });
  strictEqual(one.dueMs, 500);
  one.update("d", { look: { kind: "now" } });
  strictEqual(one.dueMs, -Infinity);
});

Deno.test("ManifestTable looks at everything at once if it is asked to, and no sooner than the gap after the last time", () => {
  const one = table();
  one.scans.begin(1000, PERIOD_MS);
  one.scans.soon(1050);
  strictEqual(one.dueMs, 1100);
  one.scans.begin(1100, PERIOD_MS);
  one.scans.soon(5000);
  strictEqual(one.dueMs, 5000);
  // What is asked for sooner stays.
  one.scans.soon(6000);
  strictEqual(one.dueMs, 5000);
});

Deno.test("ManifestTable ends the waiting for writers whose end may be lost", () => {
  const one = table();
  one.update("later", { look: at(9000, 9000) });
  one.update("sooner", { look: at(500, 800) });
  one.update("settled", { look: at(9000) });
  one.update("now", { look: { kind: "now" } });
  one.doubtWriters(1000);
  deepStrictEqual(
    ["later", "sooner", "settled", "now"].map((path) => one.get(path).look),
    [at(1000, 1000), at(500, 800), at(9000), { kind: "now" }],
  );
});

Deno.test("ManifestTable forgets what files gave, and not that they are to be looked at", () => {
  const one = table();
  one.update("a", { entry: ACCEPTED, missingMs: 3 });
  one.noteChange("a", at(7), 2);
  one.update("b", { entry: ACCEPTED });
  deepStrictEqual([...one.entries.keys()], ["a", "b"]);
  one.clear();
  deepStrictEqual(one.get("a"), { look: at(7), changingMs: 2 });
  deepStrictEqual(one.get("b"), {});
  strictEqual(one.entries.size, 0);
});

Deno.test("ManifestTable holds nothing of a file of which nothing is known", () => {
  const one = table();
  one.update("a", { missingMs: 3 });
  deepStrictEqual(one.get("a"), {});
  one.update("a", { look: { kind: "now" } });
  strictEqual(one.isWaiting("a"), false);
  one.update("a", { look: at(1) });
  strictEqual(one.isWaiting("a"), true);
});

const STAMP = { size: 10, modifiedMs: 5, changedMs: 5, inode: 7 };
const WRITER = at(1000, 9000);

/** It was delivered with that file at "a". */
function delivered(): ManifestTable {
  const one = table();
  const read = { stamp: STAMP, sinceMs: 0, isProof: true };
  one.enter("a", { ...ACCEPTED, read }, 0);
  one.notePlaces();
  return one;
}

Deno.test("ManifestTable.recognize() ends the wait for a writer of what was read under another name", () => {
  const one = delivered();
  one.noteChange("b", WRITER, 0);
  const { look: asked } = one.get("b");
  const moved = { ...STAMP, changedMs: 6 };
  strictEqual(one.recognize("b", moved, { asked }), true);
  deepStrictEqual(one.get("b"), {});
});

Deno.test("ManifestTable.recognize() keeps a look that was asked for since", () => {
  const one = delivered();
  one.noteChange("b", WRITER, 0);
  strictEqual(one.recognize("b", STAMP, { asked: undefined }), true);
  strictEqual(one.get("b").look, WRITER);
});

Deno.test("ManifestTable.recognize() keeps a look at what is where it was", () => {
  const one = delivered();
  one.noteChange("a", WRITER, 0);
  strictEqual(one.recognize("a", STAMP, { asked: WRITER }), true);
  strictEqual(one.get("a").look, WRITER);
  const changed = { ...STAMP, changedMs: 6 };
  strictEqual(one.recognize("a", changed, { asked: WRITER }), false);
});

for (const news of [{ size: 11 }, { modifiedMs: 6 }, { inode: 8 }]) {
  Deno.test(`ManifestTable.recognize() takes a file for a new one by ${JSON.stringify(news)}`, () => {
    const stamp = { ...STAMP, ...news };
    strictEqual(
      delivered().recognize("b", stamp, { asked: undefined }),
      false,
    );
  });
}
