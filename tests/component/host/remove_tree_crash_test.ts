/**
 * Removing a tree again after a crash in the middle of its removal, and trees that
 * are hard to remove.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { removeTree, REMOVING_PREFIX } from "../../../mod/host/files/mod.ts";

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

Deno.test("removeTree() removes a directory of too many names to be listed, if it has no directory in it (SE-08)", async () => {
  const path = await Deno.makeTempDir({ prefix: "skerry_remove_" });
  try {
    const tree = join(path, "tree");
    const full = join(tree, "full");
    await Deno.mkdir(full, { recursive: true });
    for (let number = 0; number < 2_000; number++) {
      await Deno.writeTextFile(
        join(full, `a name of some length ${number}`),
        "",
      );
    }
    await Deno.symlink(path, join(full, "link"));
    // The directory above fits into this, this one does not.
    const { size } = await Deno.lstat(full);
    const options = { maxListedBytes: size - 1 };
    deepStrictEqual(await removeTree(tree, options), { kind: "removed" });
    deepStrictEqual(await namesIn(path), []);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});

/** Makes files and directories whose names are Latin-1, as Deno itself cannot. */
async function makeLatin(path: string, command: string): Promise<void> {
  const script = `cd "$1" && ${command}`;
  const args = ["-c", script, "sh", path];
  const { success } = await new Deno.Command("bash", { args }).output();
  strictEqual(success, true);
}

Deno.test("removeTree() removes files whose names are not UTF-8", async () => {
  const path = await Deno.makeTempDir({ prefix: "skerry_remove_" });
  try {
    const tree = join(path, "tree");
    await Deno.mkdir(join(tree, "inner", "\ufffd"), { recursive: true });
    await Deno.writeTextFile(join(tree, "inner", "caf\ufffd"), "");
    await makeLatin(
      join(tree, "inner"),
      "echo x > $'caf\\xe9' && ln -s /etc $'\\xff'",
    );
    deepStrictEqual(await removeTree(tree), { kind: "removed" });
    deepStrictEqual(await namesIn(path), []);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});

Deno.test("removeTree() leaves a directory whose name is not UTF-8, since it may be a mount, and says so", async () => {
  const path = await Deno.makeTempDir({ prefix: "skerry_remove_" });
  try {
    const tree = join(path, "tree");
    await Deno.mkdir(tree);
    await Deno.writeTextFile(join(tree, "f"), "");
    await makeLatin(tree, "mkdir $'caf\\xe9' && echo x > $'caf\\xe9'/kept");
    await rejects(removeTree(tree), /is not UTF-8; remove it with "rm/);
    deepStrictEqual(await namesIn(tree), ["caf\ufffd"]);
    await makeLatin(tree, "cat $'caf\\xe9'/kept");
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});

Deno.test("removeTree() lists no more directories at a time than it has memory for", async () => {
  const path = await Deno.makeTempDir({ prefix: "skerry_remove_" });
  try {
    const tree = join(path, "tree");
    // Each but the last holds the next, and a file.
    const deep = Array.from({ length: 12 }, (_each, depth) => `d${depth}`);
    await Deno.mkdir(join(tree, ...deep), { recursive: true });
    for (let depth = 0; depth <= deep.length; depth++) {
      await Deno.writeTextFile(join(tree, ...deep.slice(0, depth), "f"), "");
    }
    const { size } = await Deno.lstat(tree);
    const options = { maxListedBytes: 2 * size };
    deepStrictEqual(await removeTree(tree, options), { kind: "removed" });
    deepStrictEqual(await namesIn(path), []);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});

Deno.test("removeTree() ends when it is aborted, and goes on where it was when it is called again", async () => {
  const path = await Deno.makeTempDir({ prefix: "skerry_remove_" });
  try {
    const tree = join(path, "tree");
    for (let number = 0; number < 50; number++) {
      await Deno.mkdir(join(tree, `d${number}`), { recursive: true });
    }
    const stop = new AbortController();
    const removal = removeTree(tree, { signal: stop.signal });
    stop.abort(new DOMException("Over", "AbortError"));
    await rejects(removal, { name: "AbortError" });
    deepStrictEqual(await removeTree(tree), { kind: "removed" });
    deepStrictEqual(await namesIn(path), []);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});
