/**
 * What the lock of a root directory says of its holder.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { lockRootDirectory } from "../../../mod/host/files/mod.ts";
import { TempDir } from "../../support/temp_dir.ts";

const HOLDERS = [
  { text: "1\n", pid: 1 },
  { text: "4194304\n", pid: 4_194_304 },
  { text: "0\n", pid: 0 },
  { text: "-7\n", pid: 0 },
  { text: "x\n", pid: 0 },
  { text: "", pid: 0 },
];

for (const { text, pid } of HOLDERS) {
  Deno.test(`lockRootDirectory() names ${pid} as the holder where the file says ${JSON.stringify(text)}`, async () => {
    await using dir = await TempDir.make();
    const path = join(dir.path, "skerry.lock");
    using holder = await Deno.open(dir.path);
    strictEqual(await holder.tryLock(true), true);
    await Deno.writeTextFile(path, text);
    deepStrictEqual(await lockRootDirectory(dir.path), { kind: "held", pid });
  });
}

Deno.test("lockRootDirectory() names nobody where there is no file", async () => {
  await using dir = await TempDir.make();
  using holder = await Deno.open(dir.path);
  strictEqual(await holder.tryLock(true), true);
  deepStrictEqual(await lockRootDirectory(dir.path), { kind: "held", pid: 0 });
});

Deno.test("lockRootDirectory() writes its process into a file for its owner alone, in place of another", async () => {
  await using dir = await TempDir.make();
  const path = join(dir.path, "skerry.lock");
  {
    const lock = await lockRootDirectory(dir.path);
    strictEqual(lock.kind, "locked");
    using _lock = lock.kind === "locked" ? lock : undefined;
    strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  }
  await Deno.writeTextFile(path, "12345678901234\n");
  const lock = await lockRootDirectory(dir.path);
  using _lock = lock.kind === "locked" ? lock : undefined;
  strictEqual(await Deno.readTextFile(path), `${Deno.pid}\n`);
});
