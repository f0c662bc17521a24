import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { diskFiles } from "../../../mod/host/files/mod.ts";
import { makeFifo } from "../../support/fifo.ts";
import { succeeds } from "../../support/succeeds.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("diskFiles replaces notes as a whole, so that who is ended in between leaves the old ones", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/record.json`;
    await diskFiles.replace(path, "old", { durable: true });
    using before = await Deno.open(path);
    await diskFiles.replace(path, "new", { durable: false });
    strictEqual(await new Response(before.readable).text(), "old");
    strictEqual(await Deno.readTextFile(path), "new");
    strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("diskFiles.isDirectory() takes neither a link to a directory nor what is missing for one", async () => {
  await using dir = await TempDir.make();
  const { path } = dir;
  await Deno.mkdir(`${path}/dir`);
  await Deno.writeTextFile(`${path}/file`, "");
  await Deno.symlink(`${path}/dir`, `${path}/link`);
  const said = ["dir", "file", "link", "none", "file/none"].map((name) =>
    diskFiles.isDirectory(`${path}/${name}`).catch(() => "refused")
  );
  deepStrictEqual(await Promise.all(said), [
    true,
    false,
    false,
    false,
    "refused",
  ]);
});

Deno.test("diskFiles.list() names what is in a directory, and nothing where there is none", async () => {
  await using dir = await TempDir.make();
  await Deno.writeTextFile(`${dir.path}/a`, "");
  await Deno.mkdir(`${dir.path}/b`);
  deepStrictEqual([...await diskFiles.list(dir.path)].sort(), ["a", "b"]);
  deepStrictEqual(await diskFiles.list(`${dir.path}/none`), []);
  await rejects(diskFiles.list(`${dir.path}/a`));
});

Deno.test("diskFiles.remove() removes trees, files and links, and what is missing", async () => {
  await using dir = await TempDir.make();
  const { path } = dir;
  await Deno.mkdir(`${path}/kept/x`, { recursive: true });
  await Deno.mkdir(`${path}/tree/x`, { recursive: true });
  await Deno.writeTextFile(`${path}/file`, "");
  await Deno.symlink(`${path}/kept`, `${path}/link`);
  for (const name of ["tree", "file", "link", "none"]) {
    await diskFiles.remove(`${path}/${name}`);
  }
  deepStrictEqual(await diskFiles.list(path), ["kept"]);
  deepStrictEqual(await diskFiles.list(`${path}/kept`), ["x"]);
});

Deno.test("diskFiles.remove() says where something is still mounted", async (t) => {
  await using dir = await TempDir.make();
  const bound = `${dir.path}/tree/bound`;
  await Deno.mkdir(bound, { recursive: true });
  if (!await succeeds("mount", "-t", "tmpfs", "none", bound)) {
    await t.step({
      name: "mounting is not allowed here",
      ignore: true,
      fn() {},
    });
    return;
  }
  try {
    await rejects(diskFiles.remove(`${dir.path}/tree`), {
      message:
        `Cannot remove "${dir.path}/tree": something is still mounted at "${bound}"; unmount it`,
    });
  } finally {
    await succeeds("umount", bound);
  }
});

Deno.test("diskFiles.writeNew() makes the directory that is missing, and leaves a file that is there", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/a/b/file`;
  strictEqual(await diskFiles.writeNew(path, "first", 0o640), true);
  strictEqual(await diskFiles.writeNew(path, "second", 0o600), false);
  strictEqual(await Deno.readTextFile(path), "first");
  strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o640);
  const above = await Deno.stat(`${dir.path}/a/b`);
  strictEqual((above.mode ?? 0) & 0o777, 0o750);
  await rejects(diskFiles.writeNew(`${path}/c`, "", 0o600));
});

Deno.test("diskFiles.readTail() does not wait for the writer of a FIFO", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/fifo`;
  await makeFifo(path);
  strictEqual(await diskFiles.readTail(path, 4), undefined);
});
