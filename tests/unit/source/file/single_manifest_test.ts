/**
 * A manifest in the place of the directory, and manifests that come and go.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { FakeLastGood } from "../../../support/source/fake_manifests.ts";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

Deno.test("FileSource drops what a directory had when a single manifest takes its place, and that when it is gone", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.becomeFile(manifest("b"));
  rig.files.rescan();
  await rig.pass(200);
  strictEqual(rig.names, "b");
  deepStrictEqual([...rig.lastGood.records.keys()], ["/m"]);

  rig.files.files.clear();
  rig.files.exists = false;
  rig.files.rescan();
  await rig.pass(99);
  strictEqual(rig.names, "b");
  await rig.pass(200);
  strictEqual(rig.names, "");
  deepStrictEqual([...rig.lastGood.records.keys()], []);
  deepStrictEqual(rig.source.report(), []);
});

Deno.test("FileSource ends a single manifest that was removed while no agent ran, also when it learns that late", async () => {
  const lastGood = new FakeLastGood();
  {
    await using before = new FileSourceRig(lastGood);
    before.files.becomeFile(manifest("b"));
    await before.pass();
  }
  await using rig = new FileSourceRig(lastGood);
  rig.files.outage = new Error("EIO");
  await rig.pass();
  strictEqual(rig.names, "b");
  rig.files.outage = undefined;
  rig.files.exists = false;
  rig.files.rescan();
  await rig.pass(200);
  deepStrictEqual(rig.sets.at(-1), {
    source: "file",
    pods: [],
    objects: [],
    workloads: [],
  });
  strictEqual(lastGood.records.size, 0);
});

Deno.test("FileSource waits a moment each time that a manifest is moved aside", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  const file = rig.files.files.get("/m/a.yaml");
  ok(file);
  rig.files.remove("a.yaml");
  rig.files.hint("a.yaml", "removed");
  await rig.pass(150);
  rig.files.files.set("/m/a.yaml", file);
  await rig.pass(5000);
  rig.files.remove("a.yaml");
  rig.files.hint("a.yaml", "removed");
  await rig.pass(150);
  strictEqual(rig.names, "a");
  await rig.pass(50);
  strictEqual(rig.names, "");
});

Deno.test("FileSource looks at a single manifest no more often where it may not look at its directory", async () => {
  await using rig = new FileSourceRig();
  const { files } = rig;
  files.becomeFile(manifest("b"));
  const look = files.look.bind(files);
  let looks = 0;
  files.look = async (path) => {
    if (path === "/") throw new Deno.errors.NotCapable("Requires read access");
    looks++;
    return await look(path);
  };
  await rig.pass();
  strictEqual(rig.names, "b");
  const first = looks;
  await rig.pass(200_000);
  // Once every 20 s.
  strictEqual(looks, first * 11);
});

/** Takes the manifest away before the nth look at it, alone or with its directory. */
function takeAway(
  { files }: FileSourceRig,
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
      await using before = new FileSourceRig(lastGood);
      before.files.becomeFile(manifest("b"));
      await before.pass();
    }
    await using rig = new FileSourceRig(lastGood);
    rig.files.becomeFile(manifest("b"));
    takeAway(rig, nth, { isUnmounted: true });
    await rig.pass(60_000);
    deepStrictEqual(
      rig.sets.filter(({ pods, unknown }) =>
        pods.length === 0 && unknown === undefined
      ),
      [],
    );
    strictEqual(rig.names, "b");
    deepStrictEqual([...lastGood.records.keys()], ["/m"]);
    strictEqual(rig.source.report()[0]?.kind, "unreachable");
  });

  for (const isKept of [true, false]) {
    Deno.test(
      `FileSource knows that a single manifest ${
        isKept ? "with a record" : "without a record"
      } was removed before the ${nth}. look of the first scan`,
      async () => {
        const lastGood = new FakeLastGood();
        if (isKept) {
          await using before = new FileSourceRig(lastGood);
          before.files.becomeFile(manifest("b"));
          await before.pass();
        }
        await using rig = new FileSourceRig(lastGood);
        rig.files.becomeFile(manifest("b"));
        takeAway(rig, nth, { isUnmounted: false });
        await rig.pass(30_000);
        deepStrictEqual(rig.sets.at(-1), {
          source: "file",
          pods: [],
          objects: [],
          workloads: [],
        });
        deepStrictEqual([...lastGood.records.keys()], []);
        deepStrictEqual(rig.source.report(), []);
      },
    );
  }
}

Deno.test("FileSource says whether the directory of a lost single manifest is gone or another", async () => {
  for (
    const [above, words] of [
      [{ kind: "missing" }, /its directory is gone/],
      [
        { kind: "directory", device: 1, inode: 200, modifiedMs: 0 },
        /its directory is another than before/,
      ],
    ] as const
  ) {
    await using rig = new FileSourceRig();
    const { files } = rig;
    files.becomeFile(manifest("a"));
    await rig.pass();
    const look = files.look.bind(files);
    files.exists = false;
    files.files.clear();
    files.look = async (path) => path === "/" ? above : await look(path);
    files.rescan();
    await rig.pass(1_000);
    const [report] = rig.source.report();
    match(report?.kind === "unreachable" ? report.message : "", words);
    strictEqual(rig.names, "a");
  }
});
