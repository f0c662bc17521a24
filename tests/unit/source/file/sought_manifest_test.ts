/**
 * Manifests that are moved while their directory goes and comes, or while hints are lost.
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

/** A source that has delivered manifests of that age. */
async function started(
  names: readonly string[],
  options: { readonly ageMs: number } = OLD,
): Promise<FileSourceRig> {
  const rig = new FileSourceRig();
  for (const name of names) {
    rig.files.write(`${name}.yaml`, withUid(name), options);
  }
  await rig.pass(500);
  return rig;
}

Deno.test("FileSource does not end a pod whose manifest moves while its directory is away, and whose old name is taken (I8)", async () => {
  await using rig = await started(["a", "b"]);
  const { files } = rig;
  const look = files.look.bind(files);
  files.look = (path) => {
    // The new name was looked for before.
    if (path === "/m/b.yaml" && !files.exists) {
      files.exists = true;
      files.write("b.yaml", withUid("c"), OLD);
    }
    return look(path);
  };
  files.rename("b.yaml", "d.yaml");
  files.hint("b.yaml", "removed", "d.yaml");
  files.exists = false;
  await rig.pass(5_000);
  deepStrictEqual(lacking(rig, "a", "b"), []);
  strictEqual(rig.names, "a,c,b");
});

Deno.test("FileSource does not lose an object whose manifest moves just before everything is looked at", async () => {
  await using rig = new FileSourceRig();
  const { files } = rig;
  const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":` +
    `{"name":"o"},"data":{"key":"value"}}`;
  files.write("a.yaml", withUid("a"), OLD);
  files.write("b.yaml", object, OLD);
  await rig.pass(500);
  files.rescan();
  await rig.pass();
  files.rename("b.yaml", "c.yaml");
  files.rescan();
  move(rig, "a", "b");
  await rig.pass(5_000);
  deepStrictEqual(rig.sets.filter(({ objects }) => objects.length === 0), []);
});

Deno.test("FileSource does not end pods whose manifests change places before their directory is away twice (I8)", async () => {
  await using rig = await started(["a", "b"]);
  const { files } = rig;
  files.rename("a.yaml", "aside");
  move(rig, "b", "a");
  files.rename("aside", "b.yaml");
  files.exists = false;
  await rig.pass(50);
  files.exists = true;
  files.rename("b.yaml", "d.yaml");
  files.hint("b.yaml", "removed", "d.yaml");
  await rig.pass();
  // Before everything was looked at.
  files.exists = false;
  await rig.pass(60_000);
  files.exists = true;
  files.rescan();
  await rig.pass(5_000);
  deepStrictEqual(lacking(rig, "a", "b"), []);
  deepStrictEqual([...rig.lastGood.records.keys()].sort(), [
    "/m/a.yaml",
    "/m/d.yaml",
  ]);
});

Deno.test("FileSource ends a pod whose manifest was removed while its directory was away", async () => {
  await using rig = await started(["a", "b"]);
  const { files } = rig;
  files.exists = false;
  files.hint("b.yaml", "arrived");
  await rig.pass(1_000);
  strictEqual(rig.names, "a,b");
  files.remove("b.yaml");
  files.exists = true;
  files.rescan();
  await rig.pass(300);
  strictEqual(rig.names, "a");
});

Deno.test("FileSource does not end a pod whose manifest moves without a hint and is then changed (I8)", async () => {
  await using rig = await started(["a"], { ageMs: 2_000 });
  rig.files.rename("a.yaml", "b.yaml");
  // As by chmod.
  rig.files.hint("b.yaml", "written");
  rig.files.rescan();
  await rig.pass(60_000);
  deepStrictEqual(lacking(rig, "a"), []);
  deepStrictEqual(rig.source.report(), []);
});

Deno.test("FileSource does not end a pod whose young manifest moves twice without a hint (I8)", async () => {
  await using rig = await started(["a"], { ageMs: 0 });
  for (const [from, to] of [["a", "b"], ["b", "c"]]) {
    rig.files.rename(`${from}.yaml`, `${to}.yaml`);
    rig.files.rescan();
    await rig.pass();
  }
  await rig.pass(5_000);
  deepStrictEqual(lacking(rig, "a"), []);
});

Deno.test("FileSource reads a written file with two names when it is quiet", async () => {
  await using rig = await started(["a"], { ageMs: 0 });
  const { files } = rig;
  const file = files.files.get("/m/a.yaml");
  if (file !== undefined) files.files.set("/m/b.yaml", file);
  files.hint("b.yaml", "written");
  files.rescan();
  await rig.pass(60_000);
  deepStrictEqual(rig.source.report().map(({ kind }) => kind), ["duplicate"]);
  strictEqual(rig.names, "a");
});

Deno.test("FileSource does not end a pod whose manifest moves without a hint before another takes its name (I8)", async () => {
  await using rig = await started(["a", "b"]);
  rig.files.rescan();
  await rig.pass();
  rig.files.rename("b.yaml", "c.yaml");
  rig.files.rescan();
  move(rig, "a", "b");
  await rig.pass(5_000);
  deepStrictEqual(lacking(rig, "a", "b"), []);
});

Deno.test("FileSource does not end a pod whose manifest moves on while it is read, and whose old name is taken (I8)", async () => {
  await using rig = await started(["a", "b"]);
  const { clock, files } = rig;
  const { signal } = new AbortController();
  const read = files.read.bind(files);
  files.read = async (path, maxBytes) => {
    const found = await read(path, maxBytes);
    if (path === "/m/c.yaml") move(rig, "c", "d");
    await clock.sleep(10, signal);
    return found;
  };
  const look = files.look.bind(files);
  files.look = async (path) => {
    if (path === "/m/other.yaml") await clock.sleep(10, signal);
    return await look(path);
  };
  files.hint("other.yaml", "arrived");
  await rig.pass();
  // By now both hints come before the next look.
  move(rig, "b", "c");
  move(rig, "a", "b");
  await rig.pass(5_000);
  deepStrictEqual(lacking(rig, "a", "b"), []);
});

for (const isLinked of [true, false]) {
  const when = isLinked
    ? "after ten seconds although a manifest moves all the time where its own may be"
    : "soon although another manifest moves all the time";
  Deno.test(`FileSource ends a pod ${when}`, async () => {
    await using rig = await started(["a", "b"]);
    const { clock, files } = rig;
    const { signal } = new AbortController();
    const look = files.look.bind(files);
    files.look = async (path) => {
      await clock.sleep(10, signal);
      files.hint("a.yaml", "removed", "c.yaml");
      return await look(path);
    };
    files.hint("a.yaml", "removed", "c.yaml");
    if (isLinked) {
      // It was there and is back.
      files.hint("b.yaml", "removed", "c.yaml");
      await rig.pass(100);
    }
    files.remove("b.yaml");
    files.hint("b.yaml", "removed");
    await rig.pass(isLinked ? 9_000 : 500);
    if (isLinked) {
      strictEqual(rig.names, "a,b");
      await rig.pass(3_000);
    }
    strictEqual(rig.names, "a");
    files.look = look;
    await rig.pass(1_000);
  });
}

Deno.test("FileSource ends a pod however often the watcher asks for a full look", async () => {
  await using rig = await started(["a", "b"]);
  const { files } = rig;
  const list = files.list.bind(files);
  files.list = (path) => {
    files.rescan();
    return list(path);
  };
  files.rescan();
  files.remove("b.yaml");
  files.hint("b.yaml", "removed");
  await rig.pass(400);
  strictEqual(rig.names, "a");
});

Deno.test("FileSource takes a single manifest with another pod that is back after a moment", async () => {
  await using rig = new FileSourceRig();
  const { files } = rig;
  files.becomeFile(withUid("a"));
  await rig.pass(500);
  const look = files.look.bind(files);
  let isThere = false;
  files.look = (path) => {
    if (path === "/m" && !isThere) {
      files.becomeFile(withUid("b"));
      isThere = true;
      return Promise.resolve({ kind: "missing" });
    }
    return look(path);
  };
  files.hint("m", "arrived");
  await rig.pass(1_000);
  strictEqual(rig.names, "b");
});

Deno.test("FileSource delivers what changes although everything is to be looked at", async () => {
  await using rig = await started(["a", "b"]);
  const { files } = rig;
  files.rescan();
  await rig.pass();
  files.rescan();
  files.remove("a.yaml");
  files.write("a.yaml", manifest("a", "nginx"), OLD);
  files.hint("a.yaml", "arrived");
  await rig.pass();
  strictEqual(rig.images, "nginx,busybox");
});

Deno.test("FileSource does not end a pod whose manifest has another name and content without a hint (I8)", async () => {
  await using rig = new FileSourceRig();
  const { clock, files } = rig;
  files.write("a.yaml", withUid("a"), OLD);
  for (let at = 0; at < 200; at++) {
    files.write(`m${at}.yaml`, manifest(`m${at}`), OLD);
  }
  await rig.pass(19_000);
  const stop = new AbortController();
  using _looking = { [Symbol.dispose]: () => stop.abort() };
  const look = files.look.bind(files);
  files.look = async (path) => {
    await clock.sleep(10, stop.signal);
    return await look(path);
  };
  await rig.pass(900);
  files.remove("a.yaml");
  files.write("z.yaml", withUid("a").replace("busybox", "changed"));
  await rig.pass(60_000);
  deepStrictEqual(lacking(rig, "a"), []);
  ok(rig.images.includes("changed"));
});
