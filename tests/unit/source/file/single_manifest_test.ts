/**
 * A manifest in the place of the directory, and manifests that come and go.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { FakeLastGood } from "../../../support/source/fake_manifests.ts";
import {
  Bench,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

Deno.test("FileSource drops what a directory had when a single manifest takes its place, and that when it is gone", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  bench.files.becomeFile(manifest("b"));
  bench.files.rescan();
  await bench.pass(200);
  strictEqual(bench.names, "b");
  deepStrictEqual([...bench.lastGood.records.keys()], ["/m"]);

  bench.files.files.clear();
  bench.files.exists = false;
  bench.files.rescan();
  await bench.pass(99);
  strictEqual(bench.names, "b");
  await bench.pass(200);
  strictEqual(bench.names, "");
  deepStrictEqual([...bench.lastGood.records.keys()], []);
  deepStrictEqual(bench.source.report(), []);
});

Deno.test("FileSource ends a single manifest that was removed while no agent ran, also when it learns that late", async () => {
  const lastGood = new FakeLastGood();
  {
    await using before = new Bench(lastGood);
    before.files.becomeFile(manifest("b"));
    await before.pass();
  }
  await using bench = new Bench(lastGood);
  bench.files.outage = new Error("EIO");
  await bench.pass();
  strictEqual(bench.names, "b");
  bench.files.outage = undefined;
  bench.files.exists = false;
  bench.files.rescan();
  await bench.pass(200);
  deepStrictEqual(bench.sets.at(-1), { source: "file", pods: [], objects: [] });
  strictEqual(lastGood.records.size, 0);
});

Deno.test("FileSource waits a moment each time that a manifest is moved aside", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  const file = bench.files.files.get("/m/a.yaml");
  ok(file);
  bench.files.remove("a.yaml");
  bench.files.hint("a.yaml", "removed");
  await bench.pass(150);
  bench.files.files.set("/m/a.yaml", file);
  await bench.pass(5000);
  bench.files.remove("a.yaml");
  bench.files.hint("a.yaml", "removed");
  await bench.pass(150);
  strictEqual(bench.names, "a");
  await bench.pass(50);
  strictEqual(bench.names, "");
});

Deno.test("FileSource looks at a single manifest no more often where it may not look at its directory", async () => {
  await using bench = new Bench();
  const { files } = bench;
  files.becomeFile(manifest("b"));
  const look = files.look.bind(files);
  let looks = 0;
  files.look = async (path) => {
    if (path === "/") throw new Deno.errors.NotCapable("Requires read access");
    looks++;
    return await look(path);
  };
  await bench.pass();
  strictEqual(bench.names, "b");
  const first = looks;
  await bench.pass(200_000);
  // Once every 20 s.
  strictEqual(looks, first * 11);
});

/** Takes the manifest away before the nth look at it, alone or with its directory. */
function takeAway(
  { files }: Bench,
  nth: number,
  options: { readonly isUnmounted: boolean },
): void {
  const look = files.look.bind(files);
  let looks = 0;
  files.look = async (path) => {
    if (path === "/m" && ++looks === nth) {
      files.files.clear();
      files.exists = false;
    }
    const found = await look(path);
    const isOther = path === "/" && options.isUnmounted && !files.exists;
    return isOther && found.kind === "directory"
      ? { ...found, device: 2, inode: 200 }
      : found;
  };
}

for (const nth of [1, 2, 3, 4]) {
  Deno.test(`FileSource does not end the pod of a single manifest that went away with its directory before the ${nth}. look of the first scan (I8)`, async () => {
    const lastGood = new FakeLastGood();
    {
      await using before = new Bench(lastGood);
      before.files.becomeFile(manifest("b"));
      await before.pass();
    }
    await using bench = new Bench(lastGood);
    bench.files.becomeFile(manifest("b"));
    takeAway(bench, nth, { isUnmounted: true });
    await bench.pass(60_000);
    deepStrictEqual(
      bench.sets.filter(({ pods, unknown }) =>
        pods.length === 0 && unknown === undefined
      ),
      [],
    );
    strictEqual(bench.names, "b");
    deepStrictEqual([...lastGood.records.keys()], ["/m"]);
    strictEqual(bench.source.report()[0]?.kind, "unreachable");
  });

  for (const isKept of [true, false]) {
    Deno.test(
      `FileSource knows that a single manifest ${
        isKept ? "with a record" : "without a record"
      } was removed before the ${nth}. look of the first scan`,
      async () => {
        const lastGood = new FakeLastGood();
        if (isKept) {
          await using before = new Bench(lastGood);
          before.files.becomeFile(manifest("b"));
          await before.pass();
        }
        await using bench = new Bench(lastGood);
        bench.files.becomeFile(manifest("b"));
        takeAway(bench, nth, { isUnmounted: false });
        await bench.pass(30_000);
        deepStrictEqual(bench.sets.at(-1), {
          source: "file",
          pods: [],
          objects: [],
        });
        deepStrictEqual([...lastGood.records.keys()], []);
        deepStrictEqual(bench.source.report(), []);
      },
    );
  }
}
