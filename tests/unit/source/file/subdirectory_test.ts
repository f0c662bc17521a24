/**
 * Directories among the manifests.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  Bench,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

/** Makes one name that of a directory wherever it is listed. */
function holdDirectory({ files }: Bench, path: string): void {
  const look = files.look.bind(files);
  files.look = async (asked) =>
    asked === path && files.files.has(path)
      ? { kind: "directory", device: 1, inode: 77, modifiedMs: 0 }
      : await look(asked);
}

for (const isRunning of [true, false]) {
  const when = isRunning ? "while it runs" : "before it starts";

  Deno.test(`FileSource does not end pods whose mount goes ${when} and leaves a directory with the name of a manifest (I8)`, async () => {
    await using before = new Bench();
    before.files.write("a.yaml", manifest("a"), OLD);
    before.files.write("b.yaml", manifest("b"), OLD);
    await before.pass();
    const bench = isRunning ? before : new Bench(before.lastGood);
    await using _bench = bench;
    holdDirectory(bench, "/m/a.yaml");
    bench.files.files.clear();
    bench.files.inode = 2;
    bench.files.write("a.yaml", "", OLD);
    bench.files.rescan();
    await bench.pass(60_000);
    strictEqual(bench.names, "a,b");
    strictEqual(bench.source.report()[0]?.kind, "unreachable");
    deepStrictEqual([...bench.lastGood.records.keys()], [
      "/m/a.yaml",
      "/m/b.yaml",
    ]);
  });
}

Deno.test("FileSource ends the pod of a manifest that a directory replaces where it was", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  strictEqual(bench.names, "a");
  holdDirectory(bench, "/m/a.yaml");
  bench.files.rescan();
  await bench.pass(2_000);
  strictEqual(bench.names, "");
  deepStrictEqual(bench.source.report(), []);
  strictEqual(bench.lastGood.records.size, 0);
});
