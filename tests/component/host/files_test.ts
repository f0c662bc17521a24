/**
 * Writing, reading and removing on a real file system.
 *
 * @module
 */

import {
  deepStrictEqual,
  notDeepStrictEqual,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { join } from "node:path";
import {
  ensureDirectory,
  lockRootDirectory,
  lookAtFile,
  readFileBounded,
  removeTree,
  writeFileAtomic,
} from "../../../mod/host/files/mod.ts";
import { FileError } from "../../../mod/host/paths/mod.ts";
import { canMountMemory, MemoryDisk } from "../../support/e2e/memory_disk.ts";
import { untilLaterFileTime } from "../../support/file_times.ts";
import { makeFifo } from "../../support/fifo.ts";
import { succeeds } from "../../support/succeeds.ts";
import { TempDir } from "../../support/temp_dir.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function namesIn(path: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(path));
  return entries.map((entry) => entry.name).sort();
}

Deno.test("writeFileAtomic() replaces a file, sets its mode and leaves nothing beside it", async () => {
  await using dir = await TempDir.make();
  const path = join(dir.path, "state.json");
  await writeFileAtomic(path, encode("old"), { mode: 0o600 });
  await writeFileAtomic(path, encode("new"), { mode: 0o666 });
  strictEqual(await Deno.readTextFile(path), "new");
  strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o666);
  deepStrictEqual(await namesIn(dir.path), ["state.json"]);
});

Deno.test("writeFileAtomic() leaves the old file and no other when it fails", async () => {
  await using dir = await TempDir.make();
  const path = join(dir.path, "taken");
  await Deno.mkdir(join(path, "inner"), { recursive: true });
  await rejects(
    writeFileAtomic(path, encode("x"), { mode: 0o600 }),
    (error) => error instanceof FileError && error.path === path,
  );
  deepStrictEqual(await namesIn(dir.path), ["taken"]);
});

Deno.test("writeFileAtomic() names the missing directory", async () => {
  await using dir = await TempDir.make();
  await rejects(
    writeFileAtomic(join(dir.path, "none/x"), encode("x"), { mode: 0o600 }),
    (error) => error instanceof FileError && error.kind === "missing",
  );
});

Deno.test("writeFileAtomic() never shows a reader half of the content", async () => {
  await using dir = await TempDir.make();
  const path = join(dir.path, "state");
  const contents = ["a".repeat(100_000), "b".repeat(50_000)];
  await writeFileAtomic(path, encode(contents[0] ?? ""), { mode: 0o600 });
  let writing = true;
  const writer = (async () => {
    for (let round = 0; round < 20; round++) {
      const content = encode(contents[round % 2] ?? "");
      await writeFileAtomic(path, content, { mode: 0o600, durable: false });
    }
    writing = false;
  })();
  while (writing) {
    strictEqual(contents.includes(await Deno.readTextFile(path)), true);
  }
  await writer;
});

Deno.test("ensureDirectory() makes what is missing with the exact mode and keeps what exists", async () => {
  await using dir = await TempDir.make();
  const path = join(dir.path, "a/b/c");
  await ensureDirectory(path, 0o777);
  await ensureDirectory(path, 0o700);
  strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o777);
});

Deno.test("ensureDirectory() refuses a file of that name", async () => {
  await using dir = await TempDir.make();
  const path = join(dir.path, "a");
  await Deno.writeTextFile(path, "");
  await rejects(ensureDirectory(path, 0o700), FileError);
});

Deno.test("readFileBounded() reads up to the limit and refuses one byte more", async () => {
  await using dir = await TempDir.make();
  const path = join(dir.path, "f");
  await Deno.writeTextFile(path, "12345");
  const read = await readFileBounded(path, 5);
  strictEqual(
    read.kind === "read" && new TextDecoder().decode(read.bytes),
    "12345",
  );
  strictEqual(read.kind === "read" && read.stamp.size, 5);
  strictEqual((await readFileBounded(path, 4)).kind, "too_large");
});

Deno.test("readFileBounded() follows links and tells what is missing", async () => {
  await using dir = await TempDir.make();
  await Deno.writeTextFile(join(dir.path, "f"), "x");
  await Deno.symlink("f", join(dir.path, "link"));
  await Deno.symlink("nothing", join(dir.path, "dangling"));
  const kindOf = async (name: string): Promise<string> =>
    (await readFileBounded(join(dir.path, name), 10)).kind;
  strictEqual(await kindOf("link"), "read");
  strictEqual(await kindOf("dangling"), "missing");
  strictEqual(await kindOf("none"), "missing");
  strictEqual((await lookAtFile(join(dir.path, "dangling"))).kind, "dangling");
});

Deno.test("readFileBounded() does not wait for the writer of a FIFO", async () => {
  await using dir = await TempDir.make();
  const path = join(dir.path, "fifo");
  await makeFifo(path);
  deepStrictEqual(await readFileBounded(path, 10), {
    kind: "not_regular",
    what: "fifo",
  });
  deepStrictEqual(await readFileBounded(dir.path, 10), {
    kind: "not_regular",
    what: "directory",
  });
});

Deno.test("removeTree() removes everything and follows no link", async () => {
  await using dir = await TempDir.make();
  const outside = join(dir.path, "outside");
  const tree = join(dir.path, "tree");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(outside, "precious"), "x");
  await Deno.mkdir(join(tree, "a/b"), { recursive: true });
  await Deno.writeTextFile(join(tree, "a/b/f"), "x");
  await Deno.symlink(outside, join(tree, "a/link"));
  await Deno.symlink(join(outside, "precious"), join(tree, "file_link"));
  deepStrictEqual(await removeTree(tree), { kind: "removed" });
  deepStrictEqual(await namesIn(dir.path), ["outside"]);
  deepStrictEqual(await namesIn(outside), ["precious"]);
});

Deno.test("removeTree() takes a missing path, a file and a link for what they are", async () => {
  await using dir = await TempDir.make();
  const file = join(dir.path, "f");
  const link = join(dir.path, "l");
  await Deno.writeTextFile(file, "x");
  await Deno.symlink(file, link);
  deepStrictEqual(await removeTree(join(dir.path, "none")), {
    kind: "removed",
  });
  deepStrictEqual(await removeTree(link), { kind: "removed" });
  deepStrictEqual(await namesIn(dir.path), ["f"]);
  deepStrictEqual(await removeTree(file), { kind: "removed" });
});

Deno.test("removeTree() removes what a crash in its middle left behind", async () => {
  await using dir = await TempDir.make();
  const tree = join(dir.path, "tree");
  await Deno.mkdir(join(tree, ".skerry-removing-1/x"), { recursive: true });
  await Deno.mkdir(join(tree, "sub"));
  await Deno.writeTextFile(join(tree, ".skerry-removing-2"), "");
  deepStrictEqual(await removeTree(tree), { kind: "removed" });
});

Deno.test("removeTree() removes a tree that is deeper than any path is long", async () => {
  await using dir = await TempDir.make();
  const tree = join(dir.path, "tree");
  const name = "d".repeat(100);
  // Built from the inside out, since no path reaches the bottom.
  let inner = join(dir.path, "inner");
  await Deno.mkdir(inner);
  for (let depth = 0; depth < 60; depth++) {
    const outer = join(dir.path, `outer${depth}`);
    await Deno.mkdir(outer);
    await Deno.rename(inner, join(outer, name));
    inner = outer;
  }
  await Deno.rename(inner, tree);
  deepStrictEqual(await removeTree(tree), { kind: "removed" });
});

Deno.test("removeTree() leaves mounts alone and names them", async (t) => {
  await using dir = await TempDir.make();
  const data = join(dir.path, "data");
  const tree = join(dir.path, "tree");
  const bound = join(tree, "a/bound");
  const memory = join(tree, "memory");
  const file = join(tree, "file");
  await Deno.mkdir(data);
  await Deno.writeTextFile(join(data, "precious"), "x");
  await Deno.mkdir(bound, { recursive: true });
  await Deno.mkdir(memory);
  await Deno.writeTextFile(file, "");
  await Deno.writeTextFile(join(tree, "a/gone"), "");
  await using mounts = new AsyncDisposableStack();
  const mount = async (...args: string[]): Promise<boolean> => {
    const at = args.at(-1) ?? "";
    if (!await succeeds("mount", ...args)) return false;
    mounts.defer(async () => {
      await succeeds("umount", at);
    });
    return true;
  };
  if (!await mount("--bind", data, bound)) {
    await t.step({
      name: "mounting is not allowed here",
      ignore: true,
      fn() {},
    });
    return;
  }
  strictEqual(await mount("-t", "tmpfs", "none", memory), true);
  strictEqual(await mount("--bind", join(data, "precious"), file), true);
  await Deno.writeTextFile(join(memory, "kept"), "");

  const removal = await removeTree(tree);
  strictEqual(removal.kind, "left");
  deepStrictEqual(
    removal.kind === "left" && [...removal.mounts].sort(),
    [bound, file, memory],
  );
  deepStrictEqual(await namesIn(tree), ["a", "file", "memory"]);
  deepStrictEqual(await namesIn(join(tree, "a")), ["bound"]);

  // Whoever tries it again each minute writes nothing to the disk as long as they are there.
  const left = removal.kind === "left" ? removal.mounts : [];
  const places = [dir.path, tree, join(tree, "a")];
  const changes = async () =>
    await Promise.all(places.map(async (at) => (await Deno.stat(at)).mtime));
  const before = await changes();
  await untilLaterFileTime();
  deepStrictEqual(await removeTree(tree, { left }), removal);
  deepStrictEqual(await changes(), before);
  deepStrictEqual((await removeTree(tree)).kind, "left");
  notDeepStrictEqual(await changes(), before);
  deepStrictEqual(await namesIn(data), ["precious"]);
  deepStrictEqual(await namesIn(memory), ["kept"]);
  strictEqual(await Deno.readTextFile(join(data, "precious")), "x");
});

for (const after of ["unmounted", "unmounted and removed"]) {
  Deno.test(`removeTree() removes what was left for a mount, when that is ${after}`, async () => {
    await using dir = await TempDir.make();
    const tree = join(dir.path, "tree");
    const bound = join(tree, "a/bound");
    await Deno.mkdir(after === "unmounted" ? bound : tree, { recursive: true });
    deepStrictEqual(await removeTree(tree, { left: [bound] }), {
      kind: "removed",
    });
    deepStrictEqual(await namesIn(dir.path), []);
  });
}

Deno.test("lockRootDirectory() lets one in at a time and names the holder", async () => {
  await using dir = await TempDir.make();
  {
    const first = await lockRootDirectory(dir.path);
    strictEqual(first.kind, "locked");
    deepStrictEqual(await lockRootDirectory(dir.path), {
      kind: "held",
      pid: Deno.pid,
    });
    if (first.kind === "locked") first[Symbol.dispose]();
  }
  const next = await lockRootDirectory(dir.path);
  strictEqual(next.kind, "locked");
  if (next.kind === "locked") next[Symbol.dispose]();
});

Deno.test(
  "lockRootDirectory() keeps a second agent out of a disk that became read-only",
  {
    ignore: !await canMountMemory(),
  },
  async () => {
    await using dir = await TempDir.make();
    await using disk = await MemoryDisk.mount(dir.path);
    // The lock file is not there, and cannot be made.
    await disk.remount("ro");
    {
      const first = await lockRootDirectory(dir.path);
      ok(first.kind === "locked");
      using _first = first;
      strictEqual((await first.check())?.kind, "read_only");
      strictEqual((await lockRootDirectory(dir.path)).kind, "held");
      // Mounted anew, it is as if nothing had been.
      await disk.remount("rw");
      strictEqual(await first.check(), undefined);
      deepStrictEqual(await lockRootDirectory(dir.path), {
        kind: "held",
        pid: Deno.pid,
      });
    }
    await disk.remount("ro");
    const next = await lockRootDirectory(dir.path);
    ok(next.kind === "locked");
    next[Symbol.dispose]();
  },
);

Deno.test("lockRootDirectory() is kept out by an agent that locks the file only", async () => {
  await using dir = await TempDir.make();
  const path = join(dir.path, "skerry.lock");
  using file = await Deno.open(path, { write: true, create: true });
  strictEqual(await file.tryLock(true), true);
  strictEqual((await lockRootDirectory(dir.path)).kind, "held");
});

Deno.test("lockRootDirectory() locks the file where no directory can be locked, and leaves nothing open", async () => {
  await using dir = await TempDir.make();
  const { tryLock } = Deno.FsFile.prototype;
  let asked = 0;
  using _restored = {
    [Symbol.dispose]() {
      Deno.FsFile.prototype.tryLock = tryLock;
    },
  };
  // The directory is asked first.
  Deno.FsFile.prototype.tryLock = function (exclusive) {
    return asked++ % 2 === 0
      ? Promise.reject(new Deno.errors.NotSupported())
      : tryLock.call(this, exclusive);
  };
  const first = await lockRootDirectory(dir.path);
  ok(first.kind === "locked");
  using _first = first;
  deepStrictEqual(await lockRootDirectory(dir.path), {
    kind: "held",
    pid: Deno.pid,
  });
  strictEqual(asked, 4);
});

Deno.test("lockRootDirectory() is freed when its holder is killed", async () => {
  await using dir = await TempDir.make();
  const module = new URL(
    "../../../mod/host/files/root_lock.ts",
    import.meta.url,
  );
  const script = `
    const { lockRootDirectory } = await import(${JSON.stringify(module.href)});
    const lock = await lockRootDirectory(Deno.args[0]);
    console.log(lock.kind);
    setInterval(() => {}, 1000);
  `;
  const holder = new Deno.Command(Deno.execPath(), {
    args: ["eval", script, dir.path],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = holder.stdout.getReader();
  const { value } = await reader.read();
  strictEqual(new TextDecoder().decode(value).trim(), "locked");
  const held = await lockRootDirectory(dir.path);
  deepStrictEqual(held, { kind: "held", pid: holder.pid });
  holder.kill("SIGKILL");
  await holder.status;
  await reader.cancel();
  const lock = await lockRootDirectory(dir.path);
  strictEqual(lock.kind, "locked");
  if (lock.kind === "locked") lock[Symbol.dispose]();
});
