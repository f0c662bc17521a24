/**
 * Removing a tree again after a crash in the middle of its removal, and trees that
 * are hard to remove.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { removeTree, REMOVING_PREFIX } from "../../../mod/host/files/mod.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { canMountMemory, MemoryDisk } from "../../support/e2e/memory_disk.ts";

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

Deno.test({
  name: "removeTree() removes what lies behind a link to another disk",
  ignore: !await canMountMemory(),
  fn: async () => {
    await using dir = await TempDir.make();
    const [disk, link] = [join(dir.path, "disk"), join(dir.path, "link")];
    await Deno.mkdir(disk);
    await using _disk = await MemoryDisk.mount(disk);
    await Deno.symlink(disk, link);
    const tree = join(link, "tree");
    const bound = join(tree, "bound");
    await Deno.mkdir(bound, { recursive: true });
    await Deno.writeTextFile(join(tree, "f"), "");
    {
      await using _bound = await MemoryDisk.mount(bound);
      deepStrictEqual(await removeTree(tree), {
        kind: "left",
        mounts: [bound],
      });
    }
    // What was left by an agent that took the whole tree for mounted goes as well.
    deepStrictEqual(await removeTree(tree, { left: [tree] }), {
      kind: "removed",
    });
    deepStrictEqual(await namesIn(disk), []);
  },
});
