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
  moves.forgetQuiet((path) => path === "y");
  const isMoving = moves.mover(0, (path) => path === "b" || path === "y");
  deepStrictEqual(["a", "x"].map(isMoving), [false, true]);
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
