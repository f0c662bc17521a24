/**
 * What a machine is known by, and what is made up for one that does not say.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  notStrictEqual,
  strictEqual,
} from "node:assert/strict";
import { keptId, readMachineIdentity } from "../../../mod/app/cluster/mod.ts";
import { TempDir } from "../../support/temp_dir.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A machine with these files, and an agent on it. */
async function machine(dir: TempDir, files: Readonly<Record<string, string>>) {
  const { path } = dir;
  const paths = { rootDir: `${path}/root`, runDir: `${path}/run` };
  for (const directory of [...Object.values(paths), `${path}/etc`]) {
    await Deno.mkdir(directory, { recursive: true });
  }
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${path}/etc/${name}`, text);
  }
  return { paths, read: () => readMachineIdentity({ paths }, `${path}/etc`) };
}

Deno.test("readMachineIdentity() has what the machine says of itself", async () => {
  await using dir = await TempDir.make();
  const { read, paths } = await machine(dir, {
    "machine-id": "0123456789abcdef0123456789abcdef\n",
    "os-release": 'NAME="Edge"\nPRETTY_NAME="Edge OS 3 (blue)"\nID=edge\n',
  });
  const { bootID, ...rest } = await read();
  deepStrictEqual(rest, {
    machineID: "0123456789abcdef0123456789abcdef",
    kernelVersion: Deno.osRelease(),
    osImage: "Edge OS 3 (blue)",
    architecture: { x86_64: "amd64", aarch64: "arm64" }[Deno.build.arch],
  });
  match(bootID, UUID);
  strictEqual((await read()).bootID, bootID);
  // A reboot empties the run directory.
  await Deno.remove(paths.runDir, { recursive: true });
  await Deno.mkdir(paths.runDir);
  notStrictEqual((await read()).bootID, bootID);
});

Deno.test("readMachineIdentity() makes up an ID once for a machine that hides its own", async () => {
  await using dir = await TempDir.make();
  const { read, paths } = await machine(dir, {});
  const { machineID, osImage } = await read();
  match(machineID, /^[0-9a-f]{32}$/);
  strictEqual(osImage, "Linux");
  await Deno.remove(paths.runDir, { recursive: true });
  await Deno.mkdir(paths.runDir);
  strictEqual((await read()).machineID, machineID);
});

for (
  const [title, text, expected] of [
    ["no name", "ID=edge\n", "Linux"],
    ["an empty name", 'PRETTY_NAME=""\n', "Linux"],
    ["one without quotes", "PRETTY_NAME=Edge\n", "Edge"],
    ["one at the end", "ID=edge\nPRETTY_NAME= Edge ", "Edge"],
    ["another's name", "NOT_PRETTY_NAME=Edge\n", "Linux"],
  ] as const
) {
  Deno.test(`readMachineIdentity() of an os-release with ${title}`, async () => {
    await using dir = await TempDir.make();
    const { read } = await machine(dir, { "os-release": text });
    strictEqual((await read()).osImage, expected);
  });
}

Deno.test("keptId() is made once for a place, and anew where that holds something else", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/id`;
  const id = await keptId(path);
  match(id, UUID);
  strictEqual(await keptId(path), id);
  strictEqual(await Deno.readTextFile(path), `${id}\n`);
  strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o644);
  for (const text of ["", "no-id", `${id}x`, `x${id}`]) {
    await Deno.writeTextFile(path, text);
    const other = await keptId(path);
    match(other, UUID);
    notStrictEqual(other, id);
    strictEqual(await keptId(path), other);
  }
});

Deno.test("keptId() is another one each time where nothing can be written", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/none/id`;
  const id = await keptId(path);
  match(id, UUID);
  notStrictEqual(await keptId(path), id);
});
