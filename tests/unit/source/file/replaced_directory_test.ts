/**
 * A directory of manifests that is gone, or has a file in its place.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { FakeLastGood } from "../../../support/source/fake_manifests.ts";
import {
  Bench,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

const GARBAGE = "kind: [";

/** What an agent leaves that had one manifest in a directory. */
async function left(): Promise<FakeLastGood> {
  await using before = new Bench();
  before.files.write("a.yaml", manifest("a"), OLD);
  await before.pass();
  return before.lastGood;
}

for (const isRunning of [true, false]) {
  const when = isRunning ? "while it runs" : "before it starts";

  Deno.test(`FileSource does not end the pods of a directory in whose place an invalid manifest comes ${when} (I8)`, async () => {
    const lastGood = await left();
    await using bench = new Bench(lastGood);
    if (isRunning) {
      bench.files.write("a.yaml", manifest("a"), OLD);
      await bench.pass();
    }
    bench.files.becomeFile(GARBAGE);
    bench.files.rescan();
    await bench.pass(60_000);
    deepStrictEqual(bench.sets.map(({ unknown }) => unknown), [undefined]);
    strictEqual(bench.names, "a");
    deepStrictEqual([...lastGood.records.keys()], ["/m/a.yaml"]);
    deepStrictEqual(
      bench.source.report().map(({ kind, file }) => `${kind} ${file}`),
      ["refused /m"],
    );

    bench.files.write("", manifest("b"), OLD);
    const file = bench.files.files.get("/m/");
    bench.files.files.clear();
    if (file !== undefined) bench.files.files.set("/m", file);
    bench.files.hint("m.yaml", "arrived");
    await bench.pass(200);
    strictEqual(bench.names, "b");
    deepStrictEqual([...lastGood.records.keys()], ["/m"]);
    deepStrictEqual(bench.source.report(), []);

    bench.files.files.clear();
    bench.files.exists = false;
    bench.files.rescan();
    await bench.pass(2_000);
    strictEqual(bench.names, "");
    strictEqual(lastGood.records.size, 0);
    deepStrictEqual(bench.source.report(), []);
  });

  Deno.test(`FileSource does not end the pods of a directory in whose place an invalid manifest came and went ${when} (I8)`, async () => {
    const lastGood = await left();
    await using bench = new Bench(lastGood);
    const { files } = bench;
    if (isRunning) {
      files.write("a.yaml", manifest("a"), OLD);
      await bench.pass();
    }
    files.becomeFile(GARBAGE);
    files.rescan();
    await bench.pass(5_000);
    files.files.clear();
    files.exists = false;
    files.rescan();
    await bench.pass(5_000);
    strictEqual(bench.names, "a");
    strictEqual(bench.source.report()[0]?.kind, "unreachable");

    files.exists = true;
    files.write("c.yaml", manifest("c"), OLD);
    files.rescan();
    await bench.pass(5_000);
    strictEqual(bench.names, "c");
    deepStrictEqual([...lastGood.records.keys()], ["/m/c.yaml"]);
    deepStrictEqual(bench.source.report(), []);
  });
}

Deno.test("FileSource does not end the pods of a directory before it read the manifest in its place", async () => {
  const lastGood = await left();
  await using bench = new Bench(lastGood);
  const { files } = bench;
  files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  files.becomeFile(manifest("b"));
  const file = files.files.get("/m");
  if (file !== undefined) {
    const nowMs = bench.clock.now();
    files.files.set("/m", { ...file, modifiedMs: nowMs, changedMs: nowMs });
  }
  files.rescan();
  await bench.pass(60_000);
  // Otherwise there would be one without a pod between the two.
  deepStrictEqual(
    bench.sets.map(({ pods }) => pods.map(({ metadata }) => metadata.name)),
    [["a-n"], ["b-n"]],
  );
  deepStrictEqual([...lastGood.records.keys()], ["/m"]);
});

Deno.test("FileSource says that a directory is gone of which only a hint led to a manifest", async () => {
  await using bench = new Bench();
  const { files } = bench;
  files.exists = false;
  await bench.pass();
  files.exists = true;
  files.write("a.yaml", manifest("a"), OLD);
  files.hint("a.yaml", "arrived");
  await bench.pass(1);
  strictEqual(bench.names, "a");
  files.exists = false;
  files.rescan();
  await bench.pass(2_000);
  strictEqual(bench.names, "a");
  strictEqual(bench.source.report()[0]?.kind, "unreachable");

  files.exists = true;
  files.remove("a.yaml");
  files.rescan();
  await bench.pass(2_000);
  strictEqual(bench.names, "");
  deepStrictEqual(bench.source.report(), []);
});
