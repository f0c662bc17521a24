/**
 * How long the file source waits, and how much it does at once.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createLogger } from "../../../../mod/base/telemetry/mod.ts";
import { logWarnings } from "../../../../mod/source/file/manifest_reader.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { FakeLastGood } from "../../../support/source/fake_manifests.ts";
import {
  FileSourceRig,
  lacking,
  manifest,
  move,
  OLD,
  withUid,
} from "../../../support/source/file_source_rig.ts";
import { sourcePod } from "../../../support/source/source_pods.ts";

/** Makes each reading take that long, and notes how many there are at once. */
function slowDown(
  { clock, files }: FileSourceRig,
  ms: number,
): { readonly most: number } {
  const { signal } = new AbortController();
  const read = files.read.bind(files);
  const seen = { now: 0, most: 0 };
  files.read = async (path, maxBytes) => {
    seen.now++;
    seen.most = Math.max(seen.most, seen.now);
    await clock.sleep(ms, signal);
    seen.now--;
    return await read(path, maxBytes);
  };
  return seen;
}

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `p${at}`);
}

for (
  const [ms, counts] of [[5, [0, 1, 17, 33, 40]], [4, [0, 17, 40]]] as const
) {
  Deno.test(`FileSource holds a set back for 5 ms at most: with ${ms} ms for each reading, ${counts.join()}`, async () => {
    await using rig = new FileSourceRig();
    await rig.pass();
    const seen = slowDown(rig, ms);
    for (const name of names(40)) {
      rig.files.write(`${name}.yaml`, manifest(name));
      rig.files.hint(`${name}.yaml`, "arrived");
    }
    await rig.pass(100);
    // The first hint is seen alone, then sixteen at a time.
    deepStrictEqual(rig.sets.map(({ pods }) => pods.length), counts);
    strictEqual(seen.most, 16);
  });
}

Deno.test("FileSource reads sixteen of many manifests at once when it looks at all", async () => {
  await using rig = new FileSourceRig();
  const seen = slowDown(rig, 1);
  for (const name of names(40)) {
    rig.files.write(`${name}.yaml`, manifest(name), OLD);
  }
  await rig.pass(2);
  strictEqual(rig.sets.length, 0);
  await rig.pass(1);
  strictEqual(rig.sets.at(-1)?.pods.length, 40);
  strictEqual(seen.most, 16);
});

Deno.test("FileSource reads sixteen at once of manifests that moved in a row", async () => {
  await using rig = new FileSourceRig();
  const moved = Array.from({ length: 40 }, (_, at) => `p${11 + at}`);
  for (const name of moved) {
    rig.files.write(`${name}.yaml`, withUid(name), OLD);
  }
  await rig.pass();
  const seen = slowDown(rig, 1);
  // Each takes the place of the one before, which moved on.
  for (const [at, name] of moved.entries()) {
    move(rig, name, moved[at - 1] ?? "new");
  }
  await rig.pass(1_000);
  deepStrictEqual(lacking(rig, ...moved), []);
  strictEqual(seen.most, 16);
});

for (const [ageMs, reads] of [[999, 0], [1000, 1]] as const) {
  Deno.test(`FileSource reads a file of ${ageMs} ms without a hint ${reads} time(s) at once`, async () => {
    await using rig = new FileSourceRig();
    rig.files.write("a.yaml", manifest("a"), { ageMs });
    await rig.pass();
    strictEqual(rig.files.readsOf("a.yaml"), reads);
  });
}

Deno.test("FileSource looks again 1.5 s after it saw that the directory is another", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass(200);
  rig.files.device = 2;
  rig.files.rescan();
  await rig.pass();
  rig.files.device = 1;
  rig.files.write("b.yaml", manifest("b"), OLD);
  await rig.pass(1499);
  strictEqual(rig.names, "a");
  await rig.pass(1);
  strictEqual(rig.names, "a,b");
});

Deno.test("FileSource gives its first set after ten seconds, whatever is being written then", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("open.yaml", "#");
  rig.files.hint("open.yaml", "written");
  for (const [ms, name] of [[9_998, "a"], [1, "b"], [1, "c"]] as const) {
    await rig.pass(ms);
    rig.files.write(`${name}.yaml`, manifest(name));
    rig.files.write("open.yaml", "#");
    rig.files.hint("open.yaml", "written");
    rig.files.hint(`${name}.yaml`, "arrived");
    await rig.pass();
    strictEqual(rig.sets.length > 0, name === "c", name);
  }
  strictEqual(rig.names, "a,b,c");
  deepStrictEqual(rig.sets[0]?.unknown, ["/m/open.yaml"]);
});

Deno.test("FileSource reads no manifest again whose name is too long, since that stays so", async () => {
  await using rig = new FileSourceRig();
  const text = `${manifest("a")}\n---\n${manifest("x".repeat(252))}`;
  rig.files.write("a.yaml", text, OLD);
  await rig.pass(100_000);
  strictEqual(rig.source.report()[0]?.kind, "refused");
  strictEqual(rig.files.readsOf("a.yaml"), 1);
});

Deno.test("FileSource holds of the records those of its own manifests only", async () => {
  const lastGood = new FakeLastGood();
  const content = (name: string) => ({
    pods: [sourcePod({ name })],
    objects: [],
    workloads: [],
  });
  for (const path of ["/m/a.yaml", "/m/b.txt", "/n/c.yaml", "/m/d/e.yaml"]) {
    lastGood.records.set(path, content(path));
  }
  await using rig = new FileSourceRig(lastGood);
  rig.files.outage = new Error("EIO");
  await rig.pass();
  strictEqual(rig.names, "/m/a.yaml");
});

/** A source whose directory and one record cannot be read, and when it asked for all, in s. */
function unreadableRecord() {
  const lastGood = new FakeLastGood();
  lastGood.records.set("/m/a.yaml", { pods: [], objects: [], workloads: [] });
  lastGood.unreadable.add("/m/a.yaml");
  const rig = new FileSourceRig(lastGood);
  rig.files.outage = new Error("EIO");
  const loadAll = lastGood.loadAll.bind(lastGood);
  const at: number[] = [];
  lastGood.loadAll = () => {
    at.push(rig.clock.monotonic() / 1000);
    return loadAll();
  };
  return { rig, lastGood, at };
}

Deno.test("FileSource asks for all records again after 1, 2, 4, 8, 16 and then each 20 s", async () => {
  const { rig, lastGood, at } = unreadableRecord();
  await using _rig = rig;
  await rig.pass(80_000);
  deepStrictEqual(at, [0, 1, 3, 7, 15, 31, 51, 71]);
  lastGood.unreadable.clear();
  await rig.pass(100_000);
  strictEqual(at.length, 9);
});

Deno.test("FileSource asks for all records no more often when hints have it look at all", async () => {
  const { rig, lastGood, at } = unreadableRecord();
  await using _rig = rig;
  for (let rest = 600; rest > 0; rest--) {
    rig.files.rescan();
    await rig.pass(100);
  }
  ok(at.length > 5 && at.length < 9, `${at.length}`);
  lastGood.unreadable.clear();
  rig.files.rescan();
  await rig.pass(20_000);
  const before = at.length;
  await rig.pass(100_000);
  strictEqual(at.length, before);
});

for (const [count, shown] of [[0, undefined], [1, 1], [5, 3]] as const) {
  Deno.test(`logWarnings() logs ${shown ?? "nothing"} of ${count} warning(s)`, () => {
    const lines: string[][] = [];
    const log = createLogger({
      level: "info",
      format: "json",
      clock: new FakeClock(),
      write: (line) => lines.push(JSON.parse(line).warnings),
    });
    const warnings = names(count).map((field) => ({ field, message: "odd" }));
    logWarnings(warnings, { file: "/m/a.yaml", log });
    const all = ["p0: odd", "p1: odd", "p2: odd"];
    deepStrictEqual(lines, shown === undefined ? [] : [all.slice(0, shown)]);
  });
}

Deno.test("FileSource reads a manifest that is replaced all the time ten times a second, and its last version", async () => {
  await using rig = new FileSourceRig();
  const { files } = rig;
  files.write("a.yaml", manifest("a"), OLD);
  files.write("b.yaml", manifest("b"), OLD);
  await rig.pass(5_000);
  const [reads, sets] = [files.readsOf("a.yaml"), rig.sets.length];
  for (let ms = 0; ms < 6_000; ms += 2) {
    files.write("a.yaml", manifest("a", `image:${ms}`));
    files.hint("a.yaml", "arrived");
    await rig.pass(2);
  }
  ok(files.readsOf("a.yaml") - reads <= 70, `${files.readsOf("a.yaml")} reads`);
  ok(rig.sets.length - sets <= 70, `${rig.sets.length} sets`);
  ok(rig.sets.length - sets >= 50, `${rig.sets.length} sets`);
  files.write("b.yaml", manifest("b", "image:new"));
  files.hint("b.yaml", "arrived");
  await rig.pass();
  ok(rig.images.endsWith("image:new"));
  await rig.pass(1_000);
  strictEqual(rig.images, "image:5998,image:new");
});
