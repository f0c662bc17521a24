/**
 * The file source over files in memory and time that stands still.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";
import { FakeLastGood } from "../../../support/source/fake_manifests.ts";

Deno.test("FileSource delivers all old files at once and in order", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("b.yaml", manifest("b"), OLD);
  rig.files.write("a.json", manifest("a"), OLD);
  rig.files.write("c.txt", manifest("c"), OLD);
  rig.files.write(".d.yaml", manifest("d"), OLD);
  await rig.pass();
  strictEqual(rig.sets.length, 1);
  strictEqual(rig.names, "a,b");
});

Deno.test("FileSource says nothing at start before a young file has settled", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("old.yaml", manifest("old"), OLD);
  rig.files.write("young.yaml", manifest("young"), { ageMs: 50 });
  await rig.pass();
  await rig.pass(99);
  strictEqual(rig.files.readsOf("young.yaml"), 0);
  strictEqual(rig.sets.length, 0);
  await rig.pass(1);
  strictEqual(rig.names, "old,young");
  strictEqual(rig.sets.length, 1);
});

Deno.test("FileSource holds a young file's last good pods from its first set on", async () => {
  const lastGood = new FakeLastGood();
  {
    await using before = new FileSourceRig(lastGood);
    before.files.write("a.yaml", manifest("a"), OLD);
    await before.pass();
  }
  await using rig = new FileSourceRig(lastGood);
  rig.files.write("a.yaml", manifest("a"), { ageMs: 10 });
  await rig.pass();
  strictEqual(rig.names, "a");
  await rig.pass(1000);
  strictEqual(rig.sets.length, 1);
  strictEqual(lastGood.saves, 1);
});

Deno.test("FileSource reads an arrived file at once", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.write("a.yaml", manifest("a"));
  rig.files.hint("a.yaml", "arrived");
  await rig.pass();
  strictEqual(rig.names, "a");
});

Deno.test("FileSource puts what arrives together into one set", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  for (let number = 0; number < 50; number++) {
    rig.files.write(`${number}.yaml`, manifest(`p${number}`));
    rig.files.hint(`${number}.yaml`, "arrived");
  }
  await rig.pass();
  strictEqual(rig.sets.at(-1)?.pods.length, 50);
  ok(rig.sets.length <= 5, `${rig.sets.length}`);
});

Deno.test("FileSource waits for 100 ms without an event before it reads what is written", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  for (let round = 0; round < 10; round++) {
    rig.files.write("a.yaml", manifest("a").slice(0, 10 + round));
    rig.files.hint("a.yaml", round === 0 ? "created" : "written");
    rig.files.hint("a.yaml", "closed");
    await rig.pass(90);
  }
  rig.files.write("a.yaml", manifest("a"));
  rig.files.hint("a.yaml", "closed");
  await rig.pass(99);
  strictEqual(rig.files.readsOf("a.yaml"), 0);
  await rig.pass(1);
  strictEqual(rig.names, "a");
  strictEqual(rig.files.readsOf("a.yaml"), 1);
});

Deno.test("FileSource does not read a file that grows without events", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.hint("a.yaml", "created");
  for (let round = 0; round < 8; round++) {
    rig.files.write("a.yaml", "x".repeat(round + 1), { ageMs: -500 });
    await rig.pass(100);
  }
  strictEqual(rig.files.readsOf("a.yaml"), 0);
  await rig.pass(200);
  strictEqual(rig.files.readsOf("a.yaml"), 1);
});

Deno.test("FileSource removes what is gone and stays away for a moment", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.remove("a.yaml");
  rig.files.hint("a.yaml", "removed");
  await rig.pass(99);
  strictEqual(rig.names, "a");
  await rig.pass(101);
  strictEqual(rig.names, "");
  strictEqual(rig.sets.length, 2);
  strictEqual(rig.lastGood.records.size, 0);
});

Deno.test("FileSource waits for the new version of a file that was moved aside", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.remove("a.yaml");
  rig.files.hint("a.yaml", "removed");
  rig.files.hint("a.yaml", "removed", "a.yaml~");
  await rig.pass(50);
  rig.files.write("a.yaml", manifest("a", "new"));
  rig.files.hint("a.yaml", "created");
  rig.files.hint("a.yaml", "closed");
  await rig.pass(100);
  strictEqual(rig.images, "new");
  ok(rig.sets.every(({ pods }) => pods.length === 1));
});

Deno.test("FileSource notices without hints at the next full look, and reads only what changed", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  rig.files.write("b.yaml", manifest("b"), OLD);
  await rig.pass();
  await rig.pass(60_000);
  strictEqual(rig.files.readsOf("a.yaml"), 1);
  strictEqual(rig.sets.length, 1);
  rig.files.write("b.yaml", manifest("b", "new"), { ageMs: 5000 });
  rig.files.remove("a.yaml");
  await rig.pass(20_100);
  strictEqual(rig.names, "b");
  strictEqual(rig.images, "new");
  strictEqual(rig.files.readsOf("b.yaml"), 2);
});

Deno.test("FileSource reads again what was too fresh for its time to prove anything", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.write("a.yaml", manifest("a"));
  const file = rig.files.files.get("/m/a.yaml");
  rig.files.hint("a.yaml", "arrived");
  await rig.pass();
  // The same size within the same tick of the clock, and the event is lost.
  ok(file);
  rig.files.files.set("/m/a.yaml", { ...file, text: manifest("b") });
  await rig.pass(20_000);
  strictEqual(rig.names, "b");
  await rig.pass(60_000);
  strictEqual(rig.files.readsOf("a.yaml"), 2);
});

for (const [ageMs, reads] of [[1999, 2], [2000, 1]] as const) {
  Deno.test(`FileSource reads a file of ${ageMs} ms ${reads} time(s) until its time is a proof`, async () => {
    await using rig = new FileSourceRig();
    rig.files.write("a.yaml", manifest("a"), { ageMs });
    await rig.pass();
    await rig.pass(60_000);
    strictEqual(rig.files.readsOf("a.yaml"), reads);
  });
}

Deno.test("FileSource reads what changed behind the same size, time and inode", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a", "v1"), OLD);
  rig.files.write("b.yaml", manifest("b", "v1"), OLD);
  await rig.pass();
  await rig.pass(60_000);
  // Archives with one time for all files; with a hint and without.
  rig.files.writeUnderOldTime("a.yaml", manifest("a", "v2"));
  rig.files.hint("a.yaml", "arrived");
  await rig.pass();
  strictEqual(rig.images, "v2,v1");
  rig.files.writeUnderOldTime("b.yaml", manifest("b", "v2"));
  await rig.pass(40_000);
  strictEqual(rig.images, "v2,v2");
  await rig.pass(600_000);
  ok(rig.files.readsOf("b.yaml") <= 3);
});

Deno.test("FileSource keeps the pods of a file that cannot be read any more", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.write("a.yaml", "", { failure: new Error("EIO") });
  rig.files.hint("a.yaml", "arrived");
  await rig.pass();
  strictEqual(rig.sets.length, 1);
  const [report] = rig.source.report();
  ok(report?.kind === "last_good");
  strictEqual(report.faults[0]?.message, "EIO");
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass(20_000);
  deepStrictEqual(rig.source.report(), []);
  strictEqual(rig.sets.length, 1);
});

Deno.test("FileSource says nothing before it could list its directory", async () => {
  await using rig = new FileSourceRig();
  rig.files.outage = new Error("EACCES");
  await rig.pass(30_000);
  strictEqual(rig.sets.length, 0);
  deepStrictEqual(rig.source.report(), [
    { kind: "unreachable", file: "/m", message: "EACCES" },
  ]);
  rig.files.outage = undefined;
  rig.files.rescan();
  await rig.pass();
  strictEqual(rig.sets.length, 1);
});

Deno.test("FileSource takes a directory that is missing at start for an empty one", async () => {
  await using rig = new FileSourceRig();
  rig.files.exists = false;
  await rig.pass();
  deepStrictEqual(rig.sets, [{
    source: "file",
    pods: [],
    objects: [],
    workloads: [],
  }]);
  deepStrictEqual(rig.source.report(), []);
});

for (const how of ["vanishes", "cannot be read"] as const) {
  Deno.test(`FileSource keeps all pods when its directory ${how}`, async () => {
    await using rig = new FileSourceRig();
    rig.files.write("a.yaml", manifest("a"), OLD);
    await rig.pass();
    if (how === "vanishes") rig.files.exists = false;
    else rig.files.outage = new Error("EIO");
    // The kernel tells of each file that goes with the directory.
    rig.files.hint("a.yaml", how === "vanishes" ? "removed" : "written");
    rig.files.rescan();
    await rig.pass(30_000);
    strictEqual(rig.sets.length, 1);
    strictEqual(rig.source.report()[0]?.kind, "unreachable");
    strictEqual(rig.count("manifest_source_unreachable"), 1);
    rig.files.exists = true;
    rig.files.outage = undefined;
    rig.files.remove("a.yaml");
    await rig.pass(20_000);
    strictEqual(rig.names, "");
    deepStrictEqual(rig.source.report(), []);
  });
}

Deno.test("FileSource logs an invalid manifest once for each content and at most once a minute", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  const message = "manifest_invalid_last_good_kept";
  for (let round = 0; round < 10; round++) {
    rig.files.write("a.yaml", `{"broken${round}`, OLD);
    rig.files.hint("a.yaml", "arrived");
    await rig.pass(1000);
  }
  strictEqual(rig.count(message), 1);
  await rig.pass(61_000);
  const told = rig.count(message);
  ok(told <= 2);
  await rig.pass(600_000);
  strictEqual(rig.count(message), told);
  strictEqual(rig.sets.length, 1);
});

Deno.test("FileSource saves accepted pods once and forgets removed ones", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.write("a.yaml", ` ${manifest("a")}`, { ageMs: 30_000 });
  await rig.pass(20_000);
  strictEqual(rig.lastGood.saves, 1);
  rig.files.write("a.yaml", manifest("a", "new"), { ageMs: 20_000 });
  await rig.pass(20_000);
  strictEqual(rig.lastGood.saves, 2);
});

Deno.test("FileSource says and keeps nothing new of a ConfigMap that is only laid out anew", async () => {
  await using rig = new FileSourceRig();
  const object =
    "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {k: v}\n";
  rig.files.write("a.yaml", `${manifest("a")}\n${object}`, OLD);
  await rig.pass();
  rig.files.write("a.yaml", `${manifest("a")}\n\n${object}`, OLD);
  rig.files.hint("a.yaml", "arrived");
  await rig.pass(20_000);
  strictEqual(rig.files.readsOf("a.yaml"), 2);
  strictEqual(rig.sets.length, 1);
  strictEqual(rig.lastGood.saves, 1);
  rig.files.write(
    "a.yaml",
    manifest("a") + "\n" + object.replace("v}", "w}"),
  );
  rig.files.hint("a.yaml", "arrived");
  await rig.pass();
  strictEqual(rig.sets.length, 2);
  strictEqual(rig.lastGood.saves, 2);
});

Deno.test("FileSource tells the warnings of a manifest once, though its time changes", async () => {
  await using rig = new FileSourceRig();
  const exported = manifest("a").replace(
    '"name"',
    '"generation":1,"uid":"u","resourceVersion":"7","name"',
  );
  rig.files.write("a.yaml", exported, OLD);
  await rig.pass();
  rig.files.touch("a.yaml");
  rig.files.hint("a.yaml", "arrived");
  await rig.pass(60_000);
  ok(rig.files.readsOf("a.yaml") > 1);
  strictEqual(rig.names, "a");
  strictEqual(rig.count("manifest_warnings"), 1);
});

Deno.test("FileSource never loses a pod in a storm of rescans, and does not scan without end", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  for (let round = 0; round < 200; round++) {
    rig.files.rescan();
    await rig.pass(5);
  }
  strictEqual(rig.sets.length, 1);
  strictEqual(rig.files.readsOf("a.yaml"), 1);
});

Deno.test("FileSource looks at everything when a hint tells that its directory is back", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.exists = false;
  rig.files.rescan();
  await rig.pass(100);
  strictEqual(rig.source.report()[0]?.kind, "unreachable");
  await rig.pass(1000);
  rig.files.exists = true;
  rig.files.remove("a.yaml");
  rig.files.write("b.yaml", manifest("b"));
  rig.files.hint("b.yaml", "arrived");
  await rig.pass(100);
  strictEqual(rig.names, "b");
  deepStrictEqual(rig.source.report(), []);
});

Deno.test("FileSource looks again soon at a directory that is another than before (SRC-14)", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  // Mounted over and off again so fast that the system tells nothing of the end.
  rig.files.device = 2;
  rig.files.remove("a.yaml");
  rig.files.write("b.yaml", manifest("b"), OLD);
  rig.files.rescan();
  await rig.pass(300);
  strictEqual(rig.names, "b");
  rig.files.device = 1;
  rig.files.remove("b.yaml");
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass(2_000);
  strictEqual(rig.names, "a");
});

Deno.test("FileSource looks again soon at a directory in which a hint led to a manifest, and which is another (SRC-14)", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.inode = 2;
  rig.files.remove("a.yaml");
  rig.files.write("b.yaml", manifest("b"), OLD);
  rig.files.hint("b.yaml", "arrived");
  await rig.pass(200);
  rig.files.inode = 1;
  rig.files.remove("b.yaml");
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass(2_000);
  strictEqual(rig.names, "a");
});
