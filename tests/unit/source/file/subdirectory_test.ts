/**
 * Directories among the manifests.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

/** Makes one name that of a directory wherever it is listed. */
function holdDirectory({ files }: FileSourceRig, path: string): void {
  const look = files.look.bind(files);
  files.look = async (asked) =>
    asked === path && files.files.has(path)
      ? { kind: "directory", device: 1, inode: 77, modifiedMs: 0 }
      : await look(asked);
}

for (const isRunning of [true, false]) {
  const when = isRunning ? "while it runs" : "before it starts";

  Deno.test(`FileSource does not end pods whose mount goes ${when} and leaves a directory with the name of a manifest (I8)`, async () => {
    await using before = new FileSourceRig();
    before.files.write("a.yaml", manifest("a"), OLD);
    before.files.write("b.yaml", manifest("b"), OLD);
    await before.pass();
    const rig = isRunning ? before : new FileSourceRig(before.lastGood);
    await using _bench = rig;
    holdDirectory(rig, "/m/a.yaml");
    rig.files.files.clear();
    rig.files.inode = 2;
    rig.files.write("a.yaml", "", OLD);
    rig.files.rescan();
    await rig.pass(60_000);
    strictEqual(rig.names, "a,b");
    strictEqual(rig.source.report()[0]?.kind, "unreachable");
    deepStrictEqual([...rig.lastGood.records.keys()], [
      "/m/a.yaml",
      "/m/b.yaml",
    ]);
  });
}

Deno.test("FileSource ends the pod of a manifest that a directory replaces where it was", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  strictEqual(rig.names, "a");
  holdDirectory(rig, "/m/a.yaml");
  rig.files.rescan();
  await rig.pass(2_000);
  strictEqual(rig.names, "");
  deepStrictEqual(rig.source.report(), []);
  strictEqual(rig.lastGood.records.size, 0);
});
