/**
 * Removing trees of any number of names and any depth, in bounded memory.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { join } from "node:path";
import { removeTree } from "../../../mod/host/files/mod.ts";
import { fileErrorKind, unlessMissing } from "../../../mod/host/paths/mod.ts";

/** More names than the system lists in one piece, which are a thousand or so. */
const MANY = 3_000;

/** A directory `tree` in one of its own. */
async function withTree(
  test: (tree: string, path: string) => Promise<void>,
): Promise<void> {
  const path = await Deno.makeTempDir({ prefix: "skerry_remove_" });
  try {
    const tree = join(path, "tree");
    await Deno.mkdir(tree);
    await test(tree, path);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}

function fill(directory: string): void {
  for (let number = 0; number < MANY; number++) {
    Deno.writeTextFileSync(join(directory, `${number}`), "");
  }
}

function empty(directory: string): void {
  for (let number = 0; number < MANY; number++) {
    Deno.removeSync(join(directory, `${number}`));
  }
}

/** Directories, each in the one before and each with a file; no path reaches the last. */
async function makeDeep(tree: string, depth: number): Promise<void> {
  let inner = `${tree}.0`;
  await Deno.mkdir(inner);
  for (let number = 1; number <= depth; number++) {
    const outer = `${tree}.${number}`;
    await Deno.mkdir(outer);
    await Deno.writeTextFile(join(outer, "f"), "");
    await Deno.rename(inner, join(outer, "d"));
    inner = outer;
  }
  await Deno.rename(inner, join(tree, "d"));
}

/** How many files and directories below a path this process has open. */
function openBelow(path: string): number {
  let open = 0;
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    try {
      const target = Deno.readLinkSync(`/proc/self/fd/${name}`);
      if (target.startsWith(`${path}/`)) open++;
    } catch (error) {
      if (fileErrorKind(error) !== "missing") throw error;
    }
  }
  return open;
}

Deno.test("Deno.readDir() lists a directory in pieces, on which removeTree() relies", async () => {
  await withTree(async (tree) => {
    fill(tree);
    let listed = 0;
    for await (const _entry of Deno.readDir(tree)) {
      if (listed++ > 0) continue;
      empty(tree);
    }
    ok(listed < MANY / 2, `${listed}`);
  });
});

Deno.test("removeTree() removes a directory of many names that has directories in it (SE-08)", async () => {
  await withTree(async (tree, path) => {
    fill(tree);
    const inner = join(tree, "inner");
    await Deno.mkdir(inner);
    fill(inner);
    await Deno.symlink(path, join(inner, "link"));
    deepStrictEqual(await removeTree(tree), { kind: "removed" });
    strictEqual(await unlessMissing(Deno.lstat(tree)), undefined);
    strictEqual((await Array.fromAsync(Deno.readDir(path))).length, 0);
  });
});

Deno.test("removeTree() has no more directories open at a time than it may, however deep a tree is", async () => {
  await withTree(async (tree, path) => {
    const depth = 200;
    await makeDeep(tree, depth);
    const removal = removeTree(tree, { maxOpen: 4 });
    let isOver = false;
    const over = removal.finally(() => isOver = true);
    let most = 0;
    while (!isOver) {
      most = Math.max(most, openBelow(path));
      await Deno.lstat(path);
    }
    await over;
    deepStrictEqual(await removal, { kind: "removed" });
    // One more lies right below the root, and is opened in any case.
    ok(most <= 5, `${most}`);
    strictEqual((await Array.fromAsync(Deno.readDir(path))).length, 0);
  });
});

Deno.test("removeTree() opens what lies right below the tree, however few directories it may open", async () => {
  await withTree(async (tree, path) => {
    await makeDeep(tree, 12);
    deepStrictEqual(await removeTree(tree, { maxOpen: 1 }), {
      kind: "removed",
    });
    strictEqual((await Array.fromAsync(Deno.readDir(path))).length, 0);
  });
});

Deno.test("removeTree() leaves in a deep tree what cannot be removed, and says so once", async () => {
  await withTree(async (tree) => {
    await makeDeep(tree, 12);
    const script = "cd \"$1\" && mkdir d/$'caf\\xe9'";
    const args = ["-c", script, "sh", tree];
    const { success } = await new Deno.Command("bash", { args }).output();
    strictEqual(success, true);
    await rejects(removeTree(tree, { maxOpen: 2 }), (error) => {
      ok(error instanceof Error && error.cause instanceof Error);
      ok(!(error.cause instanceof AggregateError), error.message);
      match(error.message, /is not UTF-8/);
      return true;
    });
    const left = await Array.fromAsync(Deno.readDir(tree), ({ name }) => name);
    deepStrictEqual(left, ["d"]);
    const inner = await Array.fromAsync(Deno.readDir(join(tree, "d")));
    strictEqual(inner.length, 1);
  });
});

Deno.test("removeTree() tries what cannot be removed once, however deep the tree is beside it", async () => {
  await withTree(async (tree) => {
    const [depth, stuck] = [100, 20];
    await makeDeep(tree, depth);
    for (let number = 0; number < stuck; number++) {
      await Deno.mkdir(join(tree, `stuck-${number}`));
    }
    const script =
      "cd \"$1\" && for i in stuck-*; do mkdir $i/$'caf\\xe9' $'\\xe9'$i; done";
    const args = ["-c", script, "sh", tree];
    const { success } = await new Deno.Command("bash", { args }).output();
    strictEqual(success, true);
    const { signal } = new AbortController();
    let tried = 0;
    // It is asked for each entry.
    const throwIfAborted = (): void => void tried++;
    Object.defineProperty(signal, "throwIfAborted", { value: throwIfAborted });
    await rejects(removeTree(tree, { maxOpen: 4, signal }), /Several entries/);
    const left = await Array.fromAsync(Deno.readDir(tree));
    strictEqual(left.length, 2 * stuck);
    // A directory and a file at each depth, some twice, and those that stay.
    ok(tried < 4 * depth + 4 * left.length, `${tried}`);
  });
});

Deno.test("removeTree() ends when it is aborted in the middle of a directory, and leaves the rest", async () => {
  await withTree(async (tree) => {
    const inner = join(tree, "inner");
    await Deno.mkdir(inner);
    fill(inner);
    const stop = new AbortController();
    const removal = removeTree(tree, { signal: stop.signal });
    const aborted = rejects(removal, { name: "AbortError" });
    // It has another name for a moment, so one look may find none.
    const left = async () => {
      const found = Array.fromAsync(Deno.readDir(inner));
      return (await unlessMissing(found))?.length ?? MANY;
    };
    while (await left() === MANY) continue;
    stop.abort(new DOMException("Over", "AbortError"));
    await aborted;
    const rest = await left();
    ok(rest > 0 && rest < MANY, `${rest}`);
  });
});
