/**
 * What is linked by moves.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ManifestMoves } from "../../../../mod/source/file/manifest_moves.ts";

const nothing = (): boolean => false;

Deno.test("ManifestMoves links names that something moved between, directly or not", () => {
  const moves = new ManifestMoves();
  moves.link("a", "b");
  moves.link("c", "d");
  moves.link("x", "y");
  moves.link("b", "c");
  const isMoving = moves.mover(0, (path) => path === "d");
  deepStrictEqual(["a", "b", "c", "d", "x", "z"].map(isMoving), [
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  strictEqual(isMoving(undefined), true);
  strictEqual(moves.mover(0, nothing)(undefined), false);
});

Deno.test("ManifestMoves forgets links between names that are at rest, and no others", () => {
  const moves = new ManifestMoves();
  moves.link("a", "b");
  moves.link("x", "y");
  moves.forgetQuiet((path) => path === "y" ? { look: "now" } : {});
  const isMoving = moves.mover(0, (path) => path === "b" || path === "y");
  deepStrictEqual(["a", "x"].map(isMoving), [false, true]);
});

Deno.test("ManifestMoves forgets of linked names those of which nothing is known, and links the rest", () => {
  const moves = new ManifestMoves();
  moves.link("a", "b");
  moves.link("b", "c");
  moves.link("c", "d");
  moves.noteAside("c", { nowMs: 0, untilMs: 100 });
  const states = new Map([["a", {}], ["d", { look: "now" }]]);
  moves.forgetQuiet((path) => states.get(path));
  const isMoving = moves.mover(100, (path) => path === "d");
  deepStrictEqual(["a", "b", "c"].map(isMoving), [true, false, true]);
});

Deno.test("ManifestMoves waits for what went aside, and for what is linked to it, for a while", () => {
  const moves = new ManifestMoves();
  moves.noteAside("a", { nowMs: 0, untilMs: 100 });
  moves.link("b", "a");
  strictEqual(moves.asideMs(99), 100);
  deepStrictEqual(["a", "b", "c"].map(moves.mover(99, nothing)), [
    true,
    true,
    false,
  ]);
  strictEqual(moves.mover(99, nothing)(undefined), true);
  strictEqual(moves.mover(100, nothing)("b"), false);
  strictEqual(moves.asideMs(100), -Infinity);
});

Deno.test("ManifestMoves knows which names moved to one last", () => {
  const moves = new ManifestMoves();
  moves.retarget("a", { before: undefined, to: "c" });
  moves.retarget("b", { before: undefined, to: "c" });
  deepStrictEqual(moves.sourcesOf("c"), ["a", "b"]);
  moves.retarget("a", { before: "c", to: "d" });
  moves.retarget("b", { before: "c", to: undefined });
  deepStrictEqual(moves.sourcesOf("c"), []);
  deepStrictEqual(moves.sourcesOf("d"), ["a"]);
});

Deno.test("ManifestMoves leaves what moved to a name as it is when one of them moves on, or a hint is repeated", () => {
  const moves = new ManifestMoves();
  moves.retarget("a", { before: undefined, to: "c" });
  moves.retarget("b", { before: undefined, to: "c" });
  moves.retarget("a", { before: "c", to: "c" });
  deepStrictEqual(moves.sourcesOf("c"), ["a", "b"]);
  moves.retarget("a", { before: "c", to: "d" });
  deepStrictEqual(moves.sourcesOf("c"), ["b"]);
  deepStrictEqual(moves.sourcesOf("a"), []);
});

Deno.test("ManifestMoves waits for what went aside and is linked to nothing, and not for others that are to be looked at", () => {
  const moves = new ManifestMoves();
  moves.noteAside("a", { nowMs: 0, untilMs: 100 });
  const isMoving = moves.mover(99, (path) => path === "b");
  deepStrictEqual(["a", "b", undefined].map(isMoving), [true, false, true]);
  deepStrictEqual(["a", undefined].map(moves.mover(100, nothing)), [
    false,
    false,
  ]);
});

Deno.test("ManifestMoves waits for the last that went aside, and for each as long as it was said last", () => {
  const moves = new ManifestMoves();
  moves.noteAside("a", { nowMs: 0, untilMs: 100 });
  moves.noteAside("b", { nowMs: 50, untilMs: 150 });
  moves.noteAside("a", { nowMs: 60, untilMs: 160 });
  strictEqual(moves.asideMs(100), 160);
  strictEqual(moves.asideMs(159), 160);
  deepStrictEqual(["a", "b"].map(moves.mover(155, nothing)), [true, false]);
  strictEqual(moves.asideMs(160), -Infinity);
});

const STAMP = { size: 10, modifiedMs: 5, changedMs: 5, inode: 7 };

Deno.test("ManifestMoves recognizes a file under another name, as it was when the manifests were put together last", () => {
  const moves = new ManifestMoves();
  strictEqual(moves.isMovedTo("b", STAMP), false);
  moves.place([["a", STAMP], ["x", { ...STAMP, inode: 8 }]]);
  strictEqual(moves.isMovedTo("b", { ...STAMP, changedMs: 9 }), true);
  strictEqual(moves.isMovedTo("a", STAMP), false);
  strictEqual(moves.isMovedTo("b", { ...STAMP, size: 11 }), false);
  strictEqual(moves.isMovedTo("b", { ...STAMP, inode: 9 }), false);
  moves.place([]);
  strictEqual(moves.isMovedTo("b", STAMP), false);
});
