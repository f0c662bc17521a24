/**
 * The files of the node's credentials on the disk.
 *
 * @module
 */

import { match, rejects, strictEqual } from "node:assert/strict";
import {
  readKubeFile,
  replaceByStaging,
  secretFiles,
} from "../../../mod/app/credentials/mod.ts";
import { TempDir } from "../../support/temp_dir.ts";

const MIB = 1024 * 1024;

async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

for (
  const [name, read] of [
    ["readKubeFile()", readKubeFile],
    ["secretFiles.read()", secretFiles.read],
  ] as const
) {
  Deno.test(`${name} reads a mebibyte and no more, and nothing but files`, async () => {
    await using directory = await TempDir.make();
    const path = `${directory.path}/file`;
    await Deno.writeTextFile(path, "x".repeat(MIB));
    strictEqual((await read(path))?.length, MIB);
    await Deno.writeTextFile(path, "x".repeat(MIB + 1));
    await rejects(
      async () => await read(path),
      /^Error: Cannot use ".*\/file": too_large$/,
    );
    await rejects(
      async () => await read(directory.path),
      /^Error: Cannot use ".*": not_regular$/,
    );
  });
}

Deno.test("a file that is not there is none to secretFiles, and a fault to a kubeconfig", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/none`;
  strictEqual(await secretFiles.read(path), undefined);
  await secretFiles.remove(path);
  await rejects(readKubeFile(path), /^Error: Cannot use ".*\/none": missing$/);
});

Deno.test("secretFiles.replace() makes what is missing for nobody else to read, and leaves a directory as it is", async () => {
  await using directory = await TempDir.make();
  const pki = `${directory.path}/pki`;
  await secretFiles.replace(`${pki}/a`, "one");
  strictEqual(await modeOf(pki), 0o700);
  strictEqual(await modeOf(`${pki}/a`), 0o600);
  await Deno.chmod(pki, 0o755);
  await Deno.chmod(`${pki}/a`, 0o644);
  await secretFiles.replace(`${pki}/a`, "two");
  strictEqual(await secretFiles.read(`${pki}/a`), "two");
  strictEqual(await modeOf(pki), 0o755);
  strictEqual(await modeOf(`${pki}/a`), 0o600);
  await secretFiles.remove(`${pki}/a`);
  strictEqual(await secretFiles.read(`${pki}/a`), undefined);
});

Deno.test("replaceByStaging() puts a whole file in place, whatever was left of another one", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/kubelet.conf`;
  const staging = `${path}.new`;
  await Deno.writeTextFile(path, "old", { mode: 0o644 });
  await Deno.writeTextFile(staging, "half of another one", { mode: 0o644 });
  const text = "new ".repeat(100_000);
  await replaceByStaging(path, { staging, text });
  strictEqual(await Deno.readTextFile(path), text);
  strictEqual(await modeOf(path), 0o600);
  await rejects(Deno.stat(staging), Deno.errors.NotFound);
});

Deno.test("replaceByStaging() leaves the old file when there is no place for the new one", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/kubelet.conf`;
  await Deno.writeTextFile(path, "old");
  const staging = `${directory.path}/none/kubelet.conf.new`;
  const error = await replaceByStaging(path, { staging, text: "new" }).catch(
    String,
  );
  match(`${error}`, /NotFound/);
  strictEqual(await Deno.readTextFile(path), "old");
});
