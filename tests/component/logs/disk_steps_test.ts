/**
 * What is asked of the real disk, one call at a time.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { linkSync } from "node:fs";
import { dirname } from "node:path";
import { diskFiles } from "../../../mod/host/files/mod.ts";
import { diskLogFiles, diskMeter } from "../../../mod/logs/mod.ts";
import { makeFifo } from "../../support/fifo.ts";
import { LOG } from "../../support/logs/memory_logs.ts";
import { whole } from "../../support/server/log_follower.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** A directory of logs with the log of one container. */
async function makeLog(dir: TempDir): Promise<string> {
  const directory = `${dir.path}/${LOG.podDirectory}/${LOG.directory}`;
  await diskLogFiles.makeDirectory(directory);
  const path = `${directory}/${LOG.file}`;
  await Deno.writeTextFile(path, "a\n".repeat(50_000));
  return path;
}

Deno.test("diskMeter.bytes() is what a file takes on the disk, and nothing of anything else", async () => {
  await using dir = await TempDir.make();
  const path = await makeLog(dir);
  const { blocks } = await Deno.lstat(path);
  ok(blocks !== null && blocks > 0);
  strictEqual(await diskMeter.bytes(path), blocks * 512);
  await Deno.symlink(path, `${dir.path}/link`);
  for (const other of ["link", "none", LOG.podDirectory]) {
    strictEqual(await diskMeter.bytes(`${dir.path}/${other}`), 0);
  }
});

Deno.test("diskMeter.entries() of a directory that is not there are none", async () => {
  await using dir = await TempDir.make();
  await makeLog(dir);
  deepStrictEqual(
    (await diskMeter.entries(dir.path)).map(({ name, isDirectory }) => [
      name,
      isDirectory,
    ]),
    [[LOG.podDirectory, true]],
  );
  deepStrictEqual(await diskMeter.entries(`${dir.path}/none`), []);
});

for (const newest of ["", "/c", "/c/0.log", "/note", "/b/0.log"]) {
  Deno.test(`diskMeter.changedMs() is the time of "${newest}" where that changed last`, async () => {
    await using dir = await TempDir.make();
    await makeLog(dir);
    const pod = `${dir.path}/${LOG.podDirectory}`;
    await Deno.mkdir(`${pod}/b`);
    for (const file of ["note", "b/0.log", "b/1.log", "c/1.log"]) {
      await Deno.writeTextFile(`${pod}/${file}`, "");
    }
    for (
      const path of [
        "/note",
        "/b/0.log",
        "/b/1.log",
        "/b",
        "/c/0.log",
        "/c/1.log",
        "/c",
        "",
      ]
    ) {
      const seconds = path === newest ? 2_000 : 1_000;
      await Deno.utime(`${pod}${path}`, 3_000, seconds);
    }
    strictEqual(await diskMeter.changedMs(pod), 2_000_000);
  });
}

Deno.test("diskMeter.changedMs() of a directory that is not there is 0", async () => {
  await using dir = await TempDir.make();
  strictEqual(await diskMeter.changedMs(`${dir.path}/none`), 0);
});

Deno.test("diskLogFiles.look() knows a file by its inode, and how many names it has", async () => {
  await using dir = await TempDir.make();
  const path = await makeLog(dir);
  await diskLogFiles.link(path, `${path}.second`);
  const { ino: inode } = await Deno.lstat(path);
  deepStrictEqual(await diskLogFiles.look(dir.path, LOG), {
    kind: "file",
    bytes: 100_000,
    inode,
    names: 2,
  });
  const missing = { ...LOG, file: "1.log" };
  deepStrictEqual(await diskLogFiles.look(dir.path, missing), {
    kind: "missing",
  });
});

for (const found of ["a link", "something else"] as const) {
  Deno.test(`diskLogFiles.look() names ${found} where a file is wanted`, async () => {
    await using dir = await TempDir.make();
    const path = await makeLog(dir);
    await Deno.remove(path);
    if (found === "a link") await Deno.symlink("/nothing", path);
    else await Deno.mkdir(path);
    deepStrictEqual(await diskLogFiles.look(dir.path, LOG), {
      kind: "unfit",
      message: `Cannot use "${path}": found ${found}, wanted a file`,
    });
  });
}

Deno.test("diskLogFiles.wayFault() names the first directory that is a link", async () => {
  await using dir = await TempDir.make();
  await makeLog(dir);
  const pod = `${dir.path}/${LOG.podDirectory}`;
  strictEqual(await diskLogFiles.wayFault(dir.path, LOG), undefined);
  await Deno.rename(`${pod}/c`, `${pod}/real`);
  strictEqual(await diskLogFiles.wayFault(dir.path, LOG), undefined);
  await Deno.symlink("real", `${pod}/c`);
  strictEqual(
    await diskLogFiles.wayFault(dir.path, LOG),
    `Cannot use "${pod}/c": found a link, wanted a directory`,
  );
  await Deno.rename(pod, `${dir.path}/real`);
  await Deno.writeTextFile(pod, "");
  strictEqual(
    await diskLogFiles.wayFault(dir.path, LOG),
    `Cannot use "${pod}": found something else, wanted a directory`,
  );
});

Deno.test("diskLogFiles.list() names files of logs only, and none of a directory that is not there", async () => {
  await using dir = await TempDir.make();
  const path = await makeLog(dir);
  // A container may put any number of others there, which are not held.
  await Deno.writeTextFile(`${dirname(path)}/junk`, "");
  await Deno.writeTextFile(`${dirname(path)}/junk.0.log`, "");
  await Deno.symlink(path, `${path}.link`);
  await Deno.mkdir(`${path}.directory`);
  const directory = path.slice(0, path.lastIndexOf("/"));
  deepStrictEqual(await diskLogFiles.list(directory), [LOG.file]);
  deepStrictEqual(await diskLogFiles.list(`${directory}/none`), []);
});

Deno.test("diskLogFiles.makeDirectory() makes directories that others may read, also again", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/a/b`;
  await diskLogFiles.makeDirectory(path);
  await diskLogFiles.makeDirectory(path);
  const mode = 0o755 & ~Deno.umask();
  strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, mode);
});

Deno.test("diskLogFiles.remove() takes a file that is gone for removed, and no directory", async () => {
  await using dir = await TempDir.make();
  const path = await makeLog(dir);
  await diskLogFiles.remove(path);
  await diskLogFiles.remove(path);
  const directory = path.slice(0, path.lastIndexOf("/"));
  await Deno.writeTextFile(`${directory}/file`, "");
  await rejects(diskLogFiles.remove(directory));
});

Deno.test("diskLogFiles.compress() waits for no writer of a pipe, and reads no device", async () => {
  await using dir = await TempDir.make();
  const pipe = `${dir.path}/pipe`;
  await makeFifo(pipe);
  const { signal } = new AbortController();
  for (const path of [pipe, "/dev/null"]) {
    await rejects(
      diskLogFiles.compress(path, `${dir.path}/copy`, signal),
      { message: `Cannot compress "${path}": no file` },
    );
    await rejects(Deno.lstat(`${dir.path}/copy`), Deno.errors.NotFound);
  }
});

Deno.test("diskLogFiles.compress() gives up a copy that is under way, and says why", async () => {
  await using dir = await TempDir.make();
  const path = await makeLog(dir);
  const reason = new Error("over");
  const compressed = diskLogFiles.compress(
    path,
    `${path}.tmp`,
    AbortSignal.abort(reason),
  );
  await rejects(compressed, reason);
});

Deno.test("a directory of logs with more files than can be held is refused by all who list it", async () => {
  await using dir = await TempDir.make();
  const path = await makeLog(dir);
  const directory = dirname(path);
  // A container may make any number of them through a hostPath; these are cheap.
  for (let n = 0; n <= 50_000; n++) linkSync(path, `${path}.${n}`);
  const refused =
    /^Error: Cannot list ".*": found more than 50000 entries, wanted fewer$/;
  await rejects(diskMeter.entries(directory), refused);
  await rejects(diskLogFiles.list(directory), refused);
  await rejects(diskFiles.list(directory), refused);
  await rejects(whole({ path }), refused);
  await Deno.remove(`${path}.0`);
  await Deno.remove(`${path}.1`);
  strictEqual((await diskMeter.entries(directory)).length, 50_000);
  strictEqual((await diskLogFiles.list(directory)).length, 50_000);
});

Deno.test("diskLogFiles.compress() reads no file that is nothing but holes", async () => {
  await using dir = await TempDir.make();
  const path = await makeLog(dir);
  await Deno.truncate(path, 2 ** 40);
  const { signal } = new AbortController();
  await rejects(
    diskLogFiles.compress(path, `${dir.path}/copy`, signal),
    /^Error: Cannot compress ".*": 1099511627776 bytes take \d+: they are holes$/,
  );
  await rejects(Deno.lstat(`${dir.path}/copy`), Deno.errors.NotFound);
});
