/**
 * What events of a watched path say, and what looks at it tell apart.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  readEvent,
  RESCAN,
  type WatchHint,
} from "../../../mod/host/files/watch_hint.ts";
import {
  modifiedOf,
  sameIdentity,
  type WatchLook,
} from "../../../mod/host/files/watch_look.ts";

const STAMP = { size: 10, modifiedMs: 5, changedMs: 6, inode: 7 };
const FILE: WatchLook = { kind: "file", stamp: STAMP };
const DIRECTORY: WatchLook = {
  kind: "directory",
  inode: 7,
  device: 1,
  modifiedMs: 8,
};

const EVENTS: readonly {
  readonly event: Deno.FsEvent;
  readonly look?: WatchLook;
  readonly hints: readonly WatchHint[];
}[] = [
  ...([
    ["create", "created"],
    ["modify", "written"],
    ["access", "closed"],
    ["rename", "arrived"],
    ["remove", "removed"],
  ] as const).map(([kind, change]) => ({
    event: { kind, paths: ["/m/a"] },
    hints: [{ kind: "entry", name: "a", change } as const],
  })),
  {
    event: { kind: "rename", paths: ["/m/a", "/m/b"] },
    hints: [
      { kind: "entry", name: "a", change: "removed", movedTo: "b" },
      { kind: "entry", name: "b", change: "arrived" },
    ],
  },
  { event: { kind: "other", paths: ["/m/a"] }, hints: [RESCAN] },
  {
    event: { kind: "modify", paths: ["/m/a"], flag: "rescan" },
    hints: [RESCAN],
  },
  { event: { kind: "modify", paths: [] }, hints: [] },
  { event: { kind: "modify", paths: ["/m"] }, hints: [RESCAN] },
  {
    event: { kind: "modify", paths: ["/m"] },
    look: FILE,
    hints: [{ kind: "entry", name: "m", change: "written" }],
  },
];

for (const { event, look = DIRECTORY, hints } of EVENTS) {
  const flag = event.flag === undefined ? "" : ` (${event.flag})`;
  const said = `${event.kind}${flag} of ${event.paths.join(" and ")}`;
  Deno.test(`readEvent() reads ${said} in a watched ${look.kind}`, () => {
    deepStrictEqual(readEvent(event, { path: "/m", look }), hints);
  });
}

const LOOKS: readonly (readonly [WatchLook, WatchLook, boolean])[] = [
  [DIRECTORY, { ...DIRECTORY, modifiedMs: 9 }, true],
  [DIRECTORY, { ...DIRECTORY, inode: 8 }, false],
  [DIRECTORY, { ...DIRECTORY, device: 2 }, false],
  [FILE, { kind: "file", stamp: { ...STAMP, size: 11, modifiedMs: 9 } }, true],
  [FILE, { kind: "file", stamp: { ...STAMP, inode: 8 } }, false],
  [FILE, DIRECTORY, false],
  [DIRECTORY, FILE, false],
  [{ kind: "missing" }, { kind: "missing" }, true],
  [{ kind: "denied" }, { kind: "hung" }, false],
];

Deno.test("sameIdentity() tells things apart by their numbers, or by what they are", () => {
  const said = LOOKS.map(([a, b]) => sameIdentity(a, b));
  deepStrictEqual(said, LOOKS.map(([, , isSame]) => isSame));
});

Deno.test("modifiedOf() knows when a file or directory changed, and nothing of others", () => {
  strictEqual(modifiedOf(DIRECTORY), 8);
  strictEqual(modifiedOf(FILE), 5);
  strictEqual(modifiedOf({ kind: "denied" }), 0);
});
