/**
 * Removing a tree again after a crash in the middle of its removal, and trees that
 * are hard to remove.
 *
 * @module
 */

import { deepStrictEqual, rejects } from "node:assert/strict";
import { join } from "node:path";
import { removeTree, REMOVING_PREFIX } from "../../../mod/host/mod.ts";

async function namesIn(path: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(path));
  return entries.map((entry) => entry.name).sort();
}

const LEFT: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["under its other name", [`${REMOVING_PREFIX}tree`]],
  ["under both names", [`${REMOVING_PREFIX}tree`, "tree"]],
  [
    "in part under numbers",
    [`tree/${REMOVING_PREFIX}1`, `tree/${REMOVING_PREFIX}2`, "tree/1"],
  ],
];

for (const [title, names] of LEFT) {
  Deno.test(`removeTree() finds what a crash left ${title} (VO-09)`, async () => {
    const path = await Deno.makeTempDir({ prefix: "skerry_remove_" });
    try {
      for (const name of names) {
        await Deno.mkdir(join(path, name, "inner"), { recursive: true });
        await Deno.writeTextFile(join(path, name, "inner", "f"), "");
      }
      await Deno.mkdir(join(path, `${REMOVING_PREFIX}other`));
      deepStrictEqual(await removeTree(join(path, "tree")), {
        kind: "removed",
      });
      deepStrictEqual(await namesIn(path), [`${REMOVING_PREFIX}other`]);
    } finally {
      await Deno.remove(path, { recursive: true });
    }
  });
}

Deno.test("removeTree() removes a directory whose name leaves no room for another", async () => {
  const path = await Deno.makeTempDir({ prefix: "skerry_remove_" });
  try {
    const tree = join(path, "d".repeat(255));
    await Deno.mkdir(join(tree, "inner"), { recursive: true });
    deepStrictEqual(await removeTree(tree), { kind: "removed" });
    deepStrictEqual(await namesIn(path), []);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});

Deno.test("removeTree() does not list a directory that is too large, and removes an empty one (SE-08)", async () => {
  const path = await Deno.makeTempDir({ prefix: "skerry_remove_" });
  try {
    const tree = join(path, "tree");
    await Deno.mkdir(join(tree, "inner"), { recursive: true });
    await Deno.writeTextFile(join(tree, "inner", "f"), "");
    // The size of a directory is the file system's choice; no entry fits in less.
    const options = { maxListedBytes: 1 };
    await rejects(removeTree(tree, options), /too many entries/);
    deepStrictEqual(await namesIn(join(tree, "inner")), ["f"]);
    await Deno.remove(join(tree, "inner"), { recursive: true });
    deepStrictEqual(await removeTree(tree, options), { kind: "removed" });
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});
