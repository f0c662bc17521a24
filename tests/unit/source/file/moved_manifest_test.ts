/**
 * Manifests that are moved and changed, or moved on, before they were read.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  lacking,
  move,
  OLD,
  withUid,
} from "../../../support/source/file_source_rig.ts";

Deno.test("FileSource does not end a pod whose manifest is moved on and then changed (I8)", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", withUid("a"), OLD);
  await rig.pass();
  move(rig, "a", "b");
  move(rig, "b", "c");
  // As by chmod.
  rig.files.hint("c.yaml", "written");
  await rig.pass(5_000);
  deepStrictEqual(lacking(rig, "a"), []);
  deepStrictEqual([...rig.lastGood.records.keys()], ["/m/c.yaml"]);
  deepStrictEqual(rig.source.report(), []);
});

for (const how of ["written", "closed"] as const) {
  Deno.test(`FileSource does not end a pod whose manifest is moved and waits longer than its old name, ${how} (I8)`, async () => {
    await using rig = new FileSourceRig();
    const { files } = rig;
    files.write("a.yaml", withUid("a"), { ageMs: 5_000 });
    await rig.pass(5_000);
    move(rig, "a", "b");
    await rig.pass();
    files.touch("b.yaml");
    files.hint("b.yaml", "written");
    move(rig, "b", "c");
    files.hint("c.yaml", "written");
    if (how === "closed") {
      await rig.pass(50);
      files.hint("c.yaml", "closed");
    }
    await rig.pass(60_000);
    deepStrictEqual(lacking(rig, "a"), []);
    deepStrictEqual([...rig.lastGood.records.keys()], ["/m/c.yaml"]);
    deepStrictEqual(rig.source.report(), []);
  });
}

Deno.test("FileSource ends a pod whose manifest is moved, changed and removed", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", withUid("a"), OLD);
  await rig.pass();
  move(rig, "a", "b");
  rig.files.touch("b.yaml");
  rig.files.hint("b.yaml", "written");
  await rig.pass(1_000);
  strictEqual(rig.names, "a");
  rig.files.remove("b.yaml");
  rig.files.hint("b.yaml", "removed");
  await rig.pass(300);
  strictEqual(rig.names, "");
  strictEqual(rig.lastGood.records.size, 0);
});

Deno.test("FileSource does not end a pod whose manifest takes the place of another and is changed while an agent starts (I8)", async () => {
  await using before = new FileSourceRig();
  for (const name of ["a", "b"]) {
    before.files.write(`${name}.yaml`, withUid(name), OLD);
  }
  await before.pass();
  await using rig = new FileSourceRig(before.lastGood);
  rig.files.write("a.yaml", withUid("a"), OLD);
  move(rig, "a", "b");
  // As by chmod.
  rig.files.hint("b.yaml", "written");
  await rig.pass(5_000);
  deepStrictEqual(lacking(rig, "a"), []);
  deepStrictEqual([...rig.lastGood.records.keys()], ["/m/b.yaml"]);
});

Deno.test("FileSource does not end pods whose manifests change places just before a slow look at one of them (I8)", async () => {
  await using rig = new FileSourceRig();
  const { clock, files } = rig;
  for (const name of ["a", "b"]) {
    files.write(`${name}.yaml`, withUid(name), OLD);
  }
  await rig.pass();
  const { signal } = new AbortController();
  const look = files.look.bind(files);
  let looks = 0;
  files.look = async (path) => {
    looks++;
    if (looks === 1) {
      files.rename("a.yaml", "aside");
      files.rename("b.yaml", "a.yaml");
      files.rename("aside", "b.yaml");
    }
    const seen = await look(path);
    await clock.sleep(10, signal);
    if (looks === 1) {
      files.hint("b.yaml", "removed", "a.yaml");
      files.hint("b.yaml", "arrived");
    }
    return seen;
  };
  files.hint("a.yaml", "arrived");
  await rig.pass(5_000);
  deepStrictEqual(lacking(rig, "a", "b"), []);
});

for (const what of ["new", "taken"] as const) {
  Deno.test(`FileSource does not end a pod whose manifest moves to a ${what} name and cannot be read there (I8)`, async () => {
    await using rig = new FileSourceRig();
    const { files } = rig;
    files.write("a.yaml", withUid("a"), OLD);
    if (what === "taken") files.write("b.yaml", withUid("b"), OLD);
    await rig.pass();
    move(rig, "a", "b");
    const file = files.files.get("/m/b.yaml");
    if (file === undefined) throw new Error("It did not move");
    const failure = new Error("EMFILE");
    files.files.set("/m/b.yaml", { ...file, failure });
    await rig.pass(60_000);
    deepStrictEqual(lacking(rig, "a"), []);
    files.files.set("/m/b.yaml", file);
    await rig.pass(21_000);
    deepStrictEqual(lacking(rig, "a"), []);
    strictEqual(rig.names, "a");
    deepStrictEqual([...rig.lastGood.records.keys()], ["/m/b.yaml"]);
    deepStrictEqual(rig.source.report(), []);
  });
}

Deno.test("FileSource looks once a second for a manifest that cannot be read where it moved to", async () => {
  await using rig = new FileSourceRig();
  const { files } = rig;
  files.write("a.yaml", withUid("a"), OLD);
  await rig.pass();
  move(rig, "a", "b");
  const file = files.files.get("/m/b.yaml");
  if (file === undefined) throw new Error("It did not move");
  files.files.set("/m/b.yaml", { ...file, failure: new Error("EIO") });
  const look = files.look.bind(files);
  let looks = 0;
  files.look = async (path) => {
    if (path === "/m/a.yaml") looks++;
    return await look(path);
  };
  await rig.pass(60_000);
  // Each is two, and some are full looks.
  ok(looks <= 140, `${looks} looks`);
  files.remove("b.yaml");
  files.hint("b.yaml", "removed");
  await rig.pass(1_500);
  strictEqual(rig.names, "");
});

for (const ms of [0, 20, 99]) {
  for (const how of ["touched", "changed in mode"] as const) {
    Deno.test(`FileSource does not report a manifest twice that is moved and then ${how} for ${ms} ms`, async () => {
      await using rig = new FileSourceRig();
      const { files } = rig;
      files.write("a.yaml", withUid("a"), OLD);
      await rig.pass();
      move(rig, "a", "b");
      if (how === "touched") files.touch("b.yaml");
      files.hint("b.yaml", "written");
      await rig.pass(ms);
      files.hint("b.yaml", "closed");
      await rig.pass(5_000);
      deepStrictEqual(lacking(rig, "a"), []);
      deepStrictEqual([...rig.lastGood.records.keys()], ["/m/b.yaml"]);
      deepStrictEqual(rig.log, []);
    });
  }
}

Deno.test("FileSource reports a manifest twice that is back where it was moved from", async () => {
  await using rig = new FileSourceRig();
  const { files } = rig;
  files.write("a.yaml", withUid("a"), OLD);
  await rig.pass();
  move(rig, "a", "b");
  files.touch("b.yaml");
  files.hint("b.yaml", "written");
  await rig.pass(20);
  files.hint("b.yaml", "closed");
  await rig.pass(20);
  files.write("a.yaml", withUid("a"), OLD);
  files.hint("a.yaml", "arrived");
  await rig.pass(500);
  deepStrictEqual(rig.source.report().map(({ kind }) => kind), ["duplicate"]);
});

Deno.test("FileSource takes what a manifest has become that was moved and is replaced all the time", async () => {
  await using rig = new FileSourceRig();
  const { clock, files } = rig;
  files.write("a.yaml", withUid("a"), OLD);
  await rig.pass();
  const stop = new AbortController();
  using _looking = { [Symbol.dispose]: () => stop.abort() };
  const look = files.look.bind(files);
  files.look = async (path) => {
    await clock.sleep(1, stop.signal);
    return await look(path);
  };
  move(rig, "a", "b");
  for (let passedMs = 0; passedMs < 20_000; passedMs += 2) {
    files.write("new", withUid("a").replace("busybox", `v${passedMs}`));
    files.rename("new", "b.yaml");
    files.hint("b.yaml", "arrived");
    await rig.pass(2);
    if (passedMs === 2_000) ok(rig.images.startsWith("v"), rig.images);
  }
  deepStrictEqual(lacking(rig, "a"), []);
  deepStrictEqual([...rig.lastGood.records.keys()], ["/m/b.yaml"]);
  deepStrictEqual(rig.log, []);
});
