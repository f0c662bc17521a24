/**
 * The first look of an agent at its manifests, and when that is over.
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

/** What an agent leaves that had these manifests. */
async function leftBy(...names: readonly string[]): Promise<FakeLastGood> {
  await using before = new FileSourceRig();
  for (const name of names) {
    before.files.write(`${name}.yaml`, manifest(name), OLD);
  }
  await before.pass();
  return before.lastGood;
}

/** Does something just before the first look at a path. */
function beforeLook(
  { files }: FileSourceRig,
  path: string,
  act: () => void | Promise<void>,
): void {
  const look = files.look.bind(files);
  let isDone = false;
  files.look = async (asked) => {
    if (asked !== path || isDone) return await look(asked);
    isDone = true;
    await act();
    return await look(asked);
  };
}

function unmount({ files }: FileSourceRig): void {
  files.inode = 2;
  files.files.clear();
}

Deno.test("FileSource keeps no record but that of a single manifest once it read that, and knows all", async () => {
  const lastGood = await leftBy("a", "b");
  await using rig = new FileSourceRig(lastGood);
  rig.files.becomeFile(manifest("c"));
  await rig.pass();
  strictEqual(rig.names, "c");
  deepStrictEqual([...lastGood.records.keys()], ["/m"]);
  // It is this agent that knows what there was.
  rig.files.outage = new Error("EIO");
  rig.files.files.clear();
  rig.files.rescan();
  await rig.pass(2_000);
  deepStrictEqual(rig.sets.map(({ unknown }) => unknown), [undefined]);
});

Deno.test("FileSource knows all of a directory whose manifests it read before it went away at the first look", async () => {
  const lastGood = await leftBy("a", "b");
  await using rig = new FileSourceRig(lastGood);
  rig.files.write("a.yaml", manifest("a", "new"), OLD);
  const read = rig.files.read.bind(rig.files);
  rig.files.read = async (path, maxBytes) => {
    const found = await read(path, maxBytes);
    unmount(rig);
    return found;
  };
  await rig.pass();
  strictEqual(rig.images, "new");
  deepStrictEqual(rig.sets.map(({ unknown }) => unknown), [undefined]);
  deepStrictEqual([...lastGood.records.keys()], ["/m/a.yaml"]);
});

Deno.test("FileSource does not end the pod of a manifest that went away with its directory at the first look, and has a hint (I8)", async () => {
  const lastGood = await leftBy("a", "b");
  await using rig = new FileSourceRig(lastGood);
  const { clock, files } = rig;
  files.write("a.yaml", manifest("a"), OLD);
  files.write("b.yaml", manifest("b"), OLD);
  beforeLook(rig, "/m/a.yaml", () => unmount(rig));
  const { signal } = new AbortController();
  beforeLook(rig, "/m/b.yaml", () => clock.sleep(10, signal));
  // What is known of "a" by now is that it is missing, and of "b" nothing.
  await rig.pass(5);
  for (const name of ["a.yaml", "b.yaml"]) files.hint(name, "removed");
  await rig.pass(60_000);
  strictEqual(rig.names, "a,b");
  deepStrictEqual([...lastGood.records.keys()], ["/m/a.yaml", "/m/b.yaml"]);
});

for (const nth of [1, 2, 3, 4, 5, 6, 7, 8]) {
  Deno.test(`FileSource does not end pods whose directory went away and came back by its ${nth}. look within the first scan (I8)`, async () => {
    const lastGood = await leftBy("a", "b");
    await using rig = new FileSourceRig(lastGood);
    const { files } = rig;
    files.write("a.yaml", manifest("a"), OLD);
    files.write("b.yaml", manifest("b"), OLD);
    const mounted = new Map(files.files);
    const look = files.look.bind(files);
    let isAway = false;
    let looks = 0;
    files.look = async (path) => {
      if (path === "/m/a.yaml" && looks === 0 && !isAway) {
        isAway = true;
        unmount(rig);
      }
      if (isAway && path === "/m" && ++looks === nth) {
        isAway = false;
        files.inode = 1;
        for (const [name, file] of mounted) files.files.set(name, file);
      }
      return await look(path);
    };
    await rig.pass(60_000);
    strictEqual(rig.names, "a,b");
    deepStrictEqual(
      rig.sets.filter(({ pods, unknown }) =>
        pods.length < 2 && unknown === undefined
      ),
      [],
    );
    deepStrictEqual([...lastGood.records.keys()], ["/m/a.yaml", "/m/b.yaml"]);
  });
}

for (const isKept of [true, false]) {
  Deno.test(
    `FileSource knows all in spite of a manifest ${
      isKept ? "with a record" : "without a record"
    } that every 2nd look misses in its directory`,
    async () => {
      const lastGood = await leftBy("b", ...(isKept ? ["a"] : []));
      await using rig = new FileSourceRig(lastGood);
      const { files } = rig;
      for (const name of ["a", "b"]) {
        files.write(`${name}.yaml`, manifest(name), OLD);
      }
      const look = files.look.bind(files);
      let looks = 0;
      files.look = async (path) =>
        path === "/m/a.yaml" && looks++ % 2 === 0
          ? { kind: "missing" }
          : await look(path);
      await rig.pass(60_000);
      strictEqual(rig.names, "a,b");
      strictEqual(rig.sets.at(-1)?.unknown, undefined);
      deepStrictEqual(rig.source.report(), []);
    },
  );
}

for (const what of ["directory", "manifest"] as const) {
  Deno.test(`FileSource looks again as soon as it is asked to after its first look at a ${what} hung`, async () => {
    await using rig = new FileSourceRig();
    const { clock, files } = rig;
    files.write("a.yaml", manifest("a"), OLD);
    files.write("b.yaml", manifest("b"), OLD);
    const { signal } = new AbortController();
    beforeLook(rig, what === "directory" ? "/m" : "/m/b.yaml", async () => {
      await clock.sleep(3_000, signal);
      // An editor may be at work: all is looked at again in a moment.
      if (what === "manifest") files.enteredMs = clock.now();
      throw new Error("The file system does not answer");
    });
    await rig.pass(3_050);
    deepStrictEqual(rig.sets, []);
    if (what === "directory") files.rescan();
    await rig.pass(50);
    strictEqual(rig.names, "a,b");
  });
}
