/**
 * A directory of manifests that is gone, or has a file in its place.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { FakeLastGood } from "../../../support/source/fake_manifests.ts";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

const GARBAGE = "kind: [";

/** What an agent leaves that had one manifest in a directory. */
async function left(): Promise<FakeLastGood> {
  await using before = new FileSourceRig();
  before.files.write("a.yaml", manifest("a"), OLD);
  await before.pass();
  return before.lastGood;
}

for (const isRunning of [true, false]) {
  const when = isRunning ? "while it runs" : "before it starts";

  Deno.test(`FileSource does not end the pods of a directory in whose place an invalid manifest comes ${when} (I8)`, async () => {
    const lastGood = await left();
    await using rig = new FileSourceRig(lastGood);
    if (isRunning) {
      rig.files.write("a.yaml", manifest("a"), OLD);
      await rig.pass();
    }
    rig.files.becomeFile(GARBAGE);
    rig.files.rescan();
    await rig.pass(60_000);
    deepStrictEqual(rig.sets.map(({ unknown }) => unknown), [undefined]);
    strictEqual(rig.names, "a");
    deepStrictEqual([...lastGood.records.keys()], ["/m/a.yaml"]);
    deepStrictEqual(
      rig.source.report().map(({ kind, file }) => `${kind} ${file}`),
      ["refused /m"],
    );

    rig.files.write("", manifest("b"), OLD);
    const file = rig.files.files.get("/m/");
    rig.files.files.clear();
    if (file !== undefined) rig.files.files.set("/m", file);
    rig.files.hint("m.yaml", "arrived");
    await rig.pass(200);
    strictEqual(rig.names, "b");
    deepStrictEqual([...lastGood.records.keys()], ["/m"]);
    deepStrictEqual(rig.source.report(), []);

    rig.files.files.clear();
    rig.files.exists = false;
    rig.files.rescan();
    await rig.pass(2_000);
    strictEqual(rig.names, "");
    strictEqual(lastGood.records.size, 0);
    deepStrictEqual(rig.source.report(), []);
  });

  Deno.test(`FileSource does not end the pods of a directory in whose place an invalid manifest came and went ${when} (I8)`, async () => {
    const lastGood = await left();
    await using rig = new FileSourceRig(lastGood);
    const { files } = rig;
    if (isRunning) {
      files.write("a.yaml", manifest("a"), OLD);
      await rig.pass();
    }
    files.becomeFile(GARBAGE);
    files.rescan();
    await rig.pass(5_000);
    files.files.clear();
    files.exists = false;
    files.rescan();
    await rig.pass(5_000);
    strictEqual(rig.names, "a");
    strictEqual(rig.source.report()[0]?.kind, "unreachable");

    files.exists = true;
    files.write("c.yaml", manifest("c"), OLD);
    files.rescan();
    await rig.pass(5_000);
    strictEqual(rig.names, "c");
    deepStrictEqual([...lastGood.records.keys()], ["/m/c.yaml"]);
    deepStrictEqual(rig.source.report(), []);
  });
}

Deno.test("FileSource does not end the pods of a directory before it read the manifest in its place", async () => {
  const lastGood = await left();
  await using rig = new FileSourceRig(lastGood);
  const { files } = rig;
  files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  files.becomeFile(manifest("b"));
  const file = files.files.get("/m");
  if (file !== undefined) {
    const nowMs = rig.clock.now();
    files.files.set("/m", { ...file, modifiedMs: nowMs, changedMs: nowMs });
  }
  files.rescan();
  await rig.pass(60_000);
  // Otherwise there would be one without a pod between the two.
  deepStrictEqual(
    rig.sets.map(({ pods }) => pods.map(({ metadata }) => metadata.name)),
    [["a-n"], ["b-n"]],
  );
  deepStrictEqual([...lastGood.records.keys()], ["/m"]);
});

Deno.test("FileSource says that a directory is gone of which only a hint led to a manifest", async () => {
  await using rig = new FileSourceRig();
  const { files } = rig;
  files.exists = false;
  await rig.pass();
  files.exists = true;
  files.write("a.yaml", manifest("a"), OLD);
  files.hint("a.yaml", "arrived");
  await rig.pass(1);
  strictEqual(rig.names, "a");
  files.exists = false;
  files.rescan();
  await rig.pass(2_000);
  strictEqual(rig.names, "a");
  strictEqual(rig.source.report()[0]?.kind, "unreachable");

  files.exists = true;
  files.remove("a.yaml");
  files.rescan();
  await rig.pass(2_000);
  strictEqual(rig.names, "");
  deepStrictEqual(rig.source.report(), []);
});

for (const isRunning of [true, false]) {
  const when = isRunning ? "while it runs" : "when it starts";

  Deno.test(`FileSource reports a directory that is another at each look, and looks at it by a back-off, ${when}`, async () => {
    const lastGood = await left();
    await using rig = new FileSourceRig(lastGood);
    const { files } = rig;
    files.write("a.yaml", manifest("a"), OLD);
    if (isRunning) await rig.pass();
    const look = files.look.bind(files);
    const list = files.list.bind(files);
    let lists = 0;
    files.list = (path) => {
      lists++;
      return list(path);
    };
    files.look = (path) => {
      if (path === "/m") files.inode++;
      return look(path);
    };
    files.rescan();
    await rig.pass(9_000);
    deepStrictEqual(rig.source.report(), []);
    await rig.pass(2_000);
    deepStrictEqual(
      rig.source.report().map(({ kind, file }) => `${kind} ${file}`),
      ["unreachable /m"],
    );
    strictEqual(rig.names, "a");
    deepStrictEqual([...lastGood.records.keys()], ["/m/a.yaml"]);
    lists = 0;
    await rig.pass(600_000);
    strictEqual(lists < 35, true, `${lists} lists in ten minutes`);
    strictEqual(rig.names, "a");

    files.look = look;
    await rig.pass(20_000);
    deepStrictEqual(rig.source.report(), []);
    strictEqual(rig.names, "a");
    deepStrictEqual(rig.sets.at(-1)?.unknown, undefined);
  });
}
