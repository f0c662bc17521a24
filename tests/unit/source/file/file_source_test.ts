/**
 * The file source over files in memory and time that stands still.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  Bench,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";
import { FakeLastGood } from "../../../support/source/fake_manifests.ts";

Deno.test("FileSource delivers all old files at once and in order", async () => {
  await using bench = new Bench();
  bench.files.write("b.yaml", manifest("b"), OLD);
  bench.files.write("a.json", manifest("a"), OLD);
  bench.files.write("c.txt", manifest("c"), OLD);
  bench.files.write(".d.yaml", manifest("d"), OLD);
  await bench.pass();
  strictEqual(bench.sets.length, 1);
  strictEqual(bench.names, "a,b");
});

Deno.test("FileSource says nothing at start before a young file has settled", async () => {
  await using bench = new Bench();
  bench.files.write("old.yaml", manifest("old"), OLD);
  bench.files.write("young.yaml", manifest("young"), { ageMs: 50 });
  await bench.pass();
  await bench.pass(99);
  strictEqual(bench.files.readsOf("young.yaml"), 0);
  strictEqual(bench.sets.length, 0);
  await bench.pass(1);
  strictEqual(bench.names, "old,young");
  strictEqual(bench.sets.length, 1);
});

Deno.test("FileSource holds a young file's last good pods from its first set on", async () => {
  const lastGood = new FakeLastGood();
  {
    await using before = new Bench(lastGood);
    before.files.write("a.yaml", manifest("a"), OLD);
    await before.pass();
  }
  await using bench = new Bench(lastGood);
  bench.files.write("a.yaml", manifest("a"), { ageMs: 10 });
  await bench.pass();
  strictEqual(bench.names, "a");
  await bench.pass(1000);
  strictEqual(bench.sets.length, 1);
  strictEqual(lastGood.saves, 1);
});

Deno.test("FileSource reads an arrived file at once", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.write("a.yaml", manifest("a"));
  bench.files.hint("a.yaml", "arrived");
  await bench.pass();
  strictEqual(bench.names, "a");
});

Deno.test("FileSource puts what arrives together into one set", async () => {
  await using bench = new Bench();
  await bench.pass();
  for (let number = 0; number < 50; number++) {
    bench.files.write(`${number}.yaml`, manifest(`p${number}`));
    bench.files.hint(`${number}.yaml`, "arrived");
  }
  await bench.pass();
  strictEqual(bench.sets.at(-1)?.pods.length, 50);
  ok(bench.sets.length <= 5, `${bench.sets.length}`);
});

Deno.test("FileSource waits for 100 ms without an event before it reads what is written", async () => {
  await using bench = new Bench();
  await bench.pass();
  for (let round = 0; round < 10; round++) {
    bench.files.write("a.yaml", manifest("a").slice(0, 10 + round));
    bench.files.hint("a.yaml", round === 0 ? "created" : "written");
    bench.files.hint("a.yaml", "closed");
    await bench.pass(90);
  }
  bench.files.write("a.yaml", manifest("a"));
  bench.files.hint("a.yaml", "closed");
  await bench.pass(99);
  strictEqual(bench.files.readsOf("a.yaml"), 0);
  await bench.pass(1);
  strictEqual(bench.names, "a");
  strictEqual(bench.files.readsOf("a.yaml"), 1);
});

Deno.test("FileSource does not read a file that grows without events", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.hint("a.yaml", "created");
  for (let round = 0; round < 8; round++) {
    bench.files.write("a.yaml", "x".repeat(round + 1), { ageMs: -500 });
    await bench.pass(100);
  }
  strictEqual(bench.files.readsOf("a.yaml"), 0);
  await bench.pass(200);
  strictEqual(bench.files.readsOf("a.yaml"), 1);
});

Deno.test("FileSource removes what is gone and stays away for a moment", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  bench.files.remove("a.yaml");
  bench.files.hint("a.yaml", "removed");
  await bench.pass(99);
  strictEqual(bench.names, "a");
  await bench.pass(101);
  strictEqual(bench.names, "");
  strictEqual(bench.sets.length, 2);
  strictEqual(bench.lastGood.records.size, 0);
});

Deno.test("FileSource waits for the new version of a file that was moved aside", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  bench.files.remove("a.yaml");
  bench.files.hint("a.yaml", "removed");
  bench.files.hint("a.yaml", "removed", "a.yaml~");
  await bench.pass(50);
  bench.files.write("a.yaml", manifest("a", "new"));
  bench.files.hint("a.yaml", "created");
  bench.files.hint("a.yaml", "closed");
  await bench.pass(100);
  strictEqual(bench.images, "new");
  ok(bench.sets.every(({ pods }) => pods.length === 1));
});

Deno.test("FileSource notices without hints at the next full look, and reads only what changed", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  bench.files.write("b.yaml", manifest("b"), OLD);
  await bench.pass();
  await bench.pass(60_000);
  strictEqual(bench.files.readsOf("a.yaml"), 1);
  strictEqual(bench.sets.length, 1);
  bench.files.write("b.yaml", manifest("b", "new"), { ageMs: 5000 });
  bench.files.remove("a.yaml");
  await bench.pass(20_100);
  strictEqual(bench.names, "b");
  strictEqual(bench.images, "new");
  strictEqual(bench.files.readsOf("b.yaml"), 2);
});

Deno.test("FileSource reads again what was too fresh for its time to prove anything", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.write("a.yaml", manifest("a"));
  const file = bench.files.files.get("/m/a.yaml");
  bench.files.hint("a.yaml", "arrived");
  await bench.pass();
  // The same size within the same tick of the clock, and the event is lost.
  ok(file);
  bench.files.files.set("/m/a.yaml", { ...file, text: manifest("b") });
  await bench.pass(20_000);
  strictEqual(bench.names, "b");
  await bench.pass(60_000);
  strictEqual(bench.files.readsOf("a.yaml"), 2);
});

for (const [ageMs, reads] of [[1999, 2], [2000, 1]] as const) {
  Deno.test(`FileSource reads a file of ${ageMs} ms ${reads} time(s) until its time is a proof`, async () => {
    await using bench = new Bench();
    bench.files.write("a.yaml", manifest("a"), { ageMs });
    await bench.pass();
    await bench.pass(60_000);
    strictEqual(bench.files.readsOf("a.yaml"), reads);
  });
}

Deno.test("FileSource reads what changed behind the same size, time and inode", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a", "v1"), OLD);
  bench.files.write("b.yaml", manifest("b", "v1"), OLD);
  await bench.pass();
  await bench.pass(60_000);
  // Archives with one time for all files; with a hint and without.
  bench.files.writeUnderOldTime("a.yaml", manifest("a", "v2"));
  bench.files.hint("a.yaml", "arrived");
  await bench.pass();
  strictEqual(bench.images, "v2,v1");
  bench.files.writeUnderOldTime("b.yaml", manifest("b", "v2"));
  await bench.pass(40_000);
  strictEqual(bench.images, "v2,v2");
  await bench.pass(600_000);
  ok(bench.files.readsOf("b.yaml") <= 3);
});

Deno.test("FileSource keeps the pods of a file that cannot be read any more", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  bench.files.write("a.yaml", "", { failure: new Error("EIO") });
  bench.files.hint("a.yaml", "arrived");
  await bench.pass();
  strictEqual(bench.sets.length, 1);
  const [report] = bench.source.report();
  ok(report?.kind === "last_good");
  strictEqual(report.faults[0]?.message, "EIO");
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass(20_000);
  deepStrictEqual(bench.source.report(), []);
  strictEqual(bench.sets.length, 1);
});

Deno.test("FileSource says nothing before it could list its directory", async () => {
  await using bench = new Bench();
  bench.files.outage = new Error("EACCES");
  await bench.pass(30_000);
  strictEqual(bench.sets.length, 0);
  deepStrictEqual(bench.source.report(), [
    { kind: "unreachable", file: "/m", message: "EACCES" },
  ]);
  bench.files.outage = undefined;
  bench.files.rescan();
  await bench.pass();
  strictEqual(bench.sets.length, 1);
});

Deno.test("FileSource takes a directory that is missing at start for an empty one", async () => {
  await using bench = new Bench();
  bench.files.exists = false;
  await bench.pass();
  deepStrictEqual(bench.sets, [{
    source: "file",
    pods: [],
    objects: [],
  }]);
  deepStrictEqual(bench.source.report(), []);
});

for (const how of ["vanishes", "cannot be read"] as const) {
  Deno.test(`FileSource keeps all pods when its directory ${how}`, async () => {
    await using bench = new Bench();
    bench.files.write("a.yaml", manifest("a"), OLD);
    await bench.pass();
    if (how === "vanishes") bench.files.exists = false;
    else bench.files.outage = new Error("EIO");
    // The kernel tells of each file that goes with the directory.
    bench.files.hint("a.yaml", how === "vanishes" ? "removed" : "written");
    bench.files.rescan();
    await bench.pass(30_000);
    strictEqual(bench.sets.length, 1);
    strictEqual(bench.source.report()[0]?.kind, "unreachable");
    strictEqual(bench.count("manifest_source_unreachable"), 1);
    bench.files.exists = true;
    bench.files.outage = undefined;
    bench.files.remove("a.yaml");
    await bench.pass(20_000);
    strictEqual(bench.names, "");
    deepStrictEqual(bench.source.report(), []);
  });
}

Deno.test("FileSource logs an invalid manifest once for each content and at most once a minute", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  const message = "manifest_invalid_last_good_kept";
  for (let round = 0; round < 10; round++) {
    bench.files.write("a.yaml", `{"broken${round}`, OLD);
    bench.files.hint("a.yaml", "arrived");
    await bench.pass(1000);
  }
  strictEqual(bench.count(message), 1);
  await bench.pass(61_000);
  const told = bench.count(message);
  ok(told <= 2);
  await bench.pass(600_000);
  strictEqual(bench.count(message), told);
  strictEqual(bench.sets.length, 1);
});

Deno.test("FileSource saves accepted pods once and forgets removed ones", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  bench.files.write("a.yaml", ` ${manifest("a")}`, { ageMs: 30_000 });
  await bench.pass(20_000);
  strictEqual(bench.lastGood.saves, 1);
  bench.files.write("a.yaml", manifest("a", "new"), { ageMs: 20_000 });
  await bench.pass(20_000);
  strictEqual(bench.lastGood.saves, 2);
});

Deno.test("FileSource says and keeps nothing new of a ConfigMap that is only laid out anew", async () => {
  await using bench = new Bench();
  const object =
    "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {k: v}\n";
  bench.files.write("a.yaml", `${manifest("a")}\n${object}`, OLD);
  await bench.pass();
  bench.files.write("a.yaml", `${manifest("a")}\n\n${object}`, OLD);
  bench.files.hint("a.yaml", "arrived");
  await bench.pass(20_000);
  strictEqual(bench.files.readsOf("a.yaml"), 2);
  strictEqual(bench.sets.length, 1);
  strictEqual(bench.lastGood.saves, 1);
  bench.files.write(
    "a.yaml",
    manifest("a") + "\n" + object.replace("v}", "w}"),
  );
  bench.files.hint("a.yaml", "arrived");
  await bench.pass();
  strictEqual(bench.sets.length, 2);
  strictEqual(bench.lastGood.saves, 2);
});

Deno.test("FileSource tells the warnings of a manifest once, though its time changes", async () => {
  await using bench = new Bench();
  const exported = manifest("a").replace(
    '"name"',
    '"generation":1,"uid":"u","resourceVersion":"7","name"',
  );
  bench.files.write("a.yaml", exported, OLD);
  await bench.pass();
  bench.files.touch("a.yaml");
  bench.files.hint("a.yaml", "arrived");
  await bench.pass(60_000);
  ok(bench.files.readsOf("a.yaml") > 1);
  strictEqual(bench.names, "a");
  strictEqual(bench.count("manifest_warnings"), 1);
});

Deno.test("FileSource never loses a pod in a storm of rescans, and does not scan without end", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  for (let round = 0; round < 200; round++) {
    bench.files.rescan();
    await bench.pass(5);
  }
  strictEqual(bench.sets.length, 1);
  strictEqual(bench.files.readsOf("a.yaml"), 1);
});

Deno.test("FileSource looks at everything when a hint tells that its directory is back", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  bench.files.exists = false;
  bench.files.rescan();
  await bench.pass(100);
  strictEqual(bench.source.report()[0]?.kind, "unreachable");
  await bench.pass(1000);
  bench.files.exists = true;
  bench.files.remove("a.yaml");
  bench.files.write("b.yaml", manifest("b"));
  bench.files.hint("b.yaml", "arrived");
  await bench.pass(100);
  strictEqual(bench.names, "b");
  deepStrictEqual(bench.source.report(), []);
});

Deno.test("FileSource looks again soon at a directory that is another than before (SRC-14)", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  // Mounted over and off again so fast that the system tells nothing of the end.
  bench.files.device = 2;
  bench.files.remove("a.yaml");
  bench.files.write("b.yaml", manifest("b"), OLD);
  bench.files.rescan();
  await bench.pass(300);
  strictEqual(bench.names, "b");
  bench.files.device = 1;
  bench.files.remove("b.yaml");
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass(2_000);
  strictEqual(bench.names, "a");
});

Deno.test("FileSource looks again soon at a directory in which a hint led to a manifest, and which is another (SRC-14)", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass();
  bench.files.inode = 2;
  bench.files.remove("a.yaml");
  bench.files.write("b.yaml", manifest("b"), OLD);
  bench.files.hint("b.yaml", "arrived");
  await bench.pass(200);
  bench.files.inode = 1;
  bench.files.remove("b.yaml");
  bench.files.write("a.yaml", manifest("a"), OLD);
  await bench.pass(2_000);
  strictEqual(bench.names, "a");
});
