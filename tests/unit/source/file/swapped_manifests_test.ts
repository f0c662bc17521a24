/**
 * Manifests that change places by way of a name that is none of a manifest, and names that
 * are never at rest beside others.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  lacking,
  manifest,
  move,
  OLD,
  withUid,
} from "../../../support/source/file_source_rig.ts";

async function startWith(...names: readonly string[]): Promise<FileSourceRig> {
  const rig = new FileSourceRig();
  for (const name of names) {
    rig.files.write(`${name}.yaml`, withUid(name), OLD);
  }
  await rig.pass(5_000);
  return rig;
}

/** Moves a manifest to a name that is none of a manifest, with the hints of a watcher. */
function moveAside({ files }: FileSourceRig, name: string): void {
  files.rename(`${name}.yaml`, ".t");
  files.hint(`${name}.yaml`, "arrived");
  files.hint(`${name}.yaml`, "removed", ".t");
}

function moveBack({ files }: FileSourceRig, name: string): void {
  files.rename(".t", `${name}.yaml`);
  files.hint(`${name}.yaml`, "arrived");
}

for (const ms of [0, 1, 20, 49]) {
  Deno.test(`FileSource ends no pod when two manifests change places by way of a hidden name, with ${ms} ms between the steps (I8)`, async () => {
    await using rig = await startWith("a", "b");
    moveAside(rig, "a");
    await rig.pass(ms);
    move(rig, "b", "a");
    await rig.pass(ms);
    moveBack(rig, "b");
    await rig.pass(5_000);
    deepStrictEqual(lacking(rig, "a", "b"), []);
    deepStrictEqual(
      [...rig.lastGood.records].map(([path, { pods }]) =>
        `${path} ${pods[0]?.metadata.uid}`
      ).sort(),
      ["/m/a.yaml uid-b", "/m/b.yaml uid-a"],
    );
    deepStrictEqual(rig.source.report(), []);
  });

  Deno.test(`FileSource ends no pod when three manifests change places by way of a hidden name, with ${ms} ms between the steps (I8)`, async () => {
    await using rig = await startWith("a", "b", "c");
    moveAside(rig, "c");
    for (const [from, to] of [["b", "c"], ["a", "b"]] as const) {
      await rig.pass(Math.floor(ms / 2));
      move(rig, from, to);
    }
    await rig.pass(Math.floor(ms / 2));
    moveBack(rig, "a");
    await rig.pass(5_000);
    deepStrictEqual(lacking(rig, "a", "b", "c"), []);
    strictEqual(rig.lastGood.records.size, 3);
  });
}

Deno.test("FileSource ends no pod when two manifests change places and one of them is changed in mode (I8)", async () => {
  await using rig = await startWith("a", "b");
  moveAside(rig, "a");
  await rig.pass(20);
  move(rig, "b", "a");
  await rig.pass(20);
  moveBack(rig, "b");
  rig.files.hint("b.yaml", "written");
  await rig.pass(5_000);
  deepStrictEqual(lacking(rig, "a", "b"), []);
  strictEqual(rig.names, "b,a");
});

Deno.test("FileSource ends a pod a tenth of a second after its manifest went aside and another took the name, and others at once", async () => {
  await using rig = await startWith("a", "b", "c");
  moveAside(rig, "a");
  move(rig, "b", "a");
  rig.files.write("d.yaml", withUid("d"), OLD);
  rig.files.hint("d.yaml", "arrived");
  await rig.pass(50);
  strictEqual(rig.names.split(",").sort().join(), "a,b,c,d");
  await rig.pass(49);
  ok(rig.names.includes("a"));
  await rig.pass(1);
  strictEqual(rig.names, "b,c,d");
});

Deno.test("FileSource says nothing twice while a pod is held that went aside", async () => {
  await using rig = await startWith("a", "b");
  moveAside(rig, "a");
  move(rig, "b", "a");
  await rig.pass();
  const count = rig.sets.length;
  rig.files.hint("b.yaml", "written");
  await rig.pass(99);
  strictEqual(rig.sets.length, count);
});

Deno.test("FileSource holds no pod under a name of before whose UID another has", async () => {
  await using rig = await startWith("a", "b");
  moveAside(rig, "a");
  rig.files.write(
    "b.yaml",
    manifest("new").replace(`{"name"`, `{"uid":"uid-a","name"`),
    OLD,
  );
  rig.files.hint("b.yaml", "arrived");
  await rig.pass(50);
  await rig.pass(5_000);
  for (const { pods } of rig.sets) {
    const uids = pods.map(({ metadata }) => metadata.uid);
    strictEqual(new Set(uids).size, uids.length);
  }
  strictEqual(rig.names, "new");
});

Deno.test("FileSource takes and ends other pods while two manifests change places faster than it looks", async () => {
  await using rig = await startWith("c", "x");
  const { clock, files } = rig;
  const stop = new AbortController();
  using _looking = { [Symbol.dispose]: () => stop.abort() };
  const look = files.look.bind(files);
  files.look = async (path) => {
    await clock.sleep(1, stop.signal);
    return await look(path);
  };
  let [from, to] = ["x", "y"];
  const restless = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += 2) {
      move(rig, from, to);
      [from, to] = [to, from];
      await rig.pass(2);
    }
  };
  files.remove("c.yaml");
  files.hint("c.yaml", "removed");
  await restless(300);
  ok(!rig.names.split(",").includes("c"));
  files.write("d.yaml", withUid("d"), OLD);
  files.hint("d.yaml", "arrived");
  await restless(300);
  ok(rig.names.split(",").includes("d"));
  deepStrictEqual(lacking(rig, "x"), []);
  files.look = look;
  await rig.pass(1_000);
  strictEqual(rig.names, "d,x");
});
