/**
 * Manifests that are never found as they were a moment before.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

/** How a look at "a" and a read of it differ, all the time and without a hint. */
const DIFFERENCES: Readonly<Record<string, (rig: FileSourceRig) => void>> = {
  "a read does not find": ({ files }) => {
    const read = files.read.bind(files);
    files.read = (path, maxBytes) =>
      path === "/m/a.yaml"
        ? Promise.resolve({ kind: "missing" })
        : read(path, maxBytes);
  },
  "each look finds another of": ({ files }) => {
    const look = files.look.bind(files);
    let inode = 1000;
    files.look = async (path) => {
      const found = await look(path);
      return found.kind === "file" && path === "/m/a.yaml"
        ? { ...found, stamp: { ...found.stamp, inode: inode++ } }
        : found;
    };
  },
};

for (const [how, arrange] of Object.entries(DIFFERENCES)) {
  for (const isFirst of [true, false]) {
    Deno.test(`FileSource reports after ten seconds a manifest that ${how}, ${isFirst ? "also when it starts" : "and keeps its pod"}`, async () => {
      await using rig = new FileSourceRig();
      const { files } = rig;
      for (const name of ["a", "b"]) {
        files.write(`${name}.yaml`, manifest(name), OLD);
      }
      if (!isFirst) await rig.pass(5_000);
      const look = files.look.bind(files);
      const read = files.read.bind(files);
      arrange(rig);
      files.write("a.yaml", manifest("a", "new"), OLD);
      if (!isFirst) files.rescan();
      await rig.pass(9_000);
      deepStrictEqual(rig.source.report(), []);
      await rig.pass(2_000);
      deepStrictEqual(
        rig.source.report().map(({ kind, file }) => [kind, file]),
        [[isFirst ? "refused" : "last_good", "/m/a.yaml"]],
      );
      strictEqual(rig.names, isFirst ? "b" : "a,b");
      Object.assign(files, { look, read });
      await rig.pass(1_000);
      deepStrictEqual(rig.source.report(), []);
      strictEqual(rig.images, "new,busybox");
      strictEqual(rig.sets.at(-1)?.unknown, undefined);
    });
  }
}
