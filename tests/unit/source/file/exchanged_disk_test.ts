/**
 * Manifests that look the same as before, but are on another disk.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

/** As from an image that was made like the one before: no look shows the difference. */
function change({ files }: FileSourceRig): void {
  const file = files.files.get("/m/a.yaml");
  if (file === undefined) throw new Error("There is no manifest");
  files.files.set("/m/a.yaml", { ...file, text: manifest("a", "two") });
}

async function start(): Promise<FileSourceRig> {
  const rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a", "one"), OLD);
  await rig.pass(30_000);
  return rig;
}

Deno.test("FileSource reads manifests that look the same on another file system", async () => {
  await using rig = await start();
  rig.files.device = 2;
  change(rig);
  rig.files.rescan();
  await rig.pass(2_000);
  strictEqual(rig.images, "two");
});

for (const how of ["empty", "gone", "unreadable"] as const) {
  Deno.test(`FileSource reads manifests that look the same after their directory was ${how}`, async () => {
    await using rig = await start();
    const { files } = rig;
    change(rig);
    const all = new Map(files.files);
    files.exists = how !== "gone";
    if (how === "unreadable") files.outage = new Error("EIO");
    else files.files.clear();
    files.inode = 2;
    files.rescan();
    await rig.pass(2_000);
    strictEqual(rig.source.report()[0]?.kind, "unreachable");
    strictEqual(rig.images, "one");
    for (const [path, file] of all) files.files.set(path, file);
    files.exists = true;
    files.outage = undefined;
    files.inode = 1;
    files.rescan();
    await rig.pass(2_000);
    strictEqual(rig.images, "two");
    deepStrictEqual(rig.source.report(), []);
  });
}

Deno.test("FileSource reads manifests once after their directory was gone", async () => {
  await using rig = await start();
  const { files } = rig;
  files.exists = false;
  files.rescan();
  await rig.pass(60_000);
  const reads = files.readsOf("a.yaml");
  files.exists = true;
  files.rescan();
  await rig.pass(600_000);
  strictEqual(files.readsOf("a.yaml"), reads + 1);
  strictEqual(rig.sets.length, 1);
});
