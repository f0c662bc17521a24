/**
 * What the file source does not know, and what it does not do because of that.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../support/source/file_source_rig.ts";
import { FakeLastGood } from "../../support/source/fake_manifests.ts";

const GARBAGE = "kind: [";
const EMPTY = { source: "file", pods: [], objects: [], workloads: [] };

/** What an agent leaves that had these manifests. */
async function leftBy(...names: readonly string[]): Promise<FakeLastGood> {
  await using before = new FileSourceRig();
  for (const name of names) {
    before.files.write(`${name}.yaml`, manifest(name), OLD);
  }
  await before.pass();
  return before.lastGood;
}

Deno.test("FileSource does not end the pod of an invalid manifest whose record cannot be read at start (I8)", async () => {
  const lastGood = await leftBy("a", "b");
  lastGood.unreadable.add("/m/a.yaml");
  await using rig = new FileSourceRig(lastGood);
  rig.files.write("a.yaml", GARBAGE, OLD);
  rig.files.write("b.yaml", manifest("b"), OLD);
  await rig.pass();
  strictEqual(rig.names, "b");
  deepStrictEqual(rig.sets[0]?.unknown, ["/m/a.yaml"]);
  const [report] = rig.source.report();
  ok(report?.kind === "refused");
  strictEqual(report.unknown, "EIO");
  match(
    rig.source.conditions()[1]?.message ?? "",
    /what it gave last is not known and not ended: EIO/,
  );

  lastGood.unreadable.clear();
  await rig.pass(2_000);
  strictEqual(rig.names, "a,b");
  strictEqual(rig.sets.at(-1)?.unknown, undefined);
  strictEqual(rig.sets.length, 2);
  strictEqual(rig.source.report()[0]?.kind, "last_good");
});

Deno.test("FileSource asks seldom for a record on a bad block, and reads nothing else because of it", async () => {
  const lastGood = await leftBy("a", "b");
  lastGood.unreadable.add("/m/a.yaml");
  await using rig = new FileSourceRig(lastGood);
  rig.files.write("a.yaml", GARBAGE, OLD);
  rig.files.write("b.yaml", manifest("b"), OLD);
  await rig.pass();
  await rig.pass(3_600_000);
  const asked = lastGood.loads.get("/m/a.yaml") ?? 0;
  ok(asked > 100 && asked < 200, `${asked}`);
  strictEqual(rig.files.readsOf("b.yaml"), 1);
  strictEqual(rig.sets.length, 1);
});

Deno.test("FileSource needs no record of an invalid manifest that is corrected or removed", async () => {
  for (const how of ["corrected", "removed"] as const) {
    const lastGood = await leftBy("a");
    lastGood.unreadable.add("/m/a.yaml");
    await using rig = new FileSourceRig(lastGood);
    rig.files.write("a.yaml", GARBAGE, OLD);
    await rig.pass();
    deepStrictEqual(rig.sets.at(-1)?.unknown, ["/m/a.yaml"]);
    if (how === "removed") rig.files.remove("a.yaml");
    else rig.files.write("a.yaml", manifest("a", "new"), OLD);
    rig.files.hint("a.yaml", how === "removed" ? "removed" : "arrived");
    await rig.pass(500);
    strictEqual(rig.sets.at(-1)?.unknown, undefined);
    strictEqual(rig.images, how === "removed" ? "" : "new");
  }
});

Deno.test("FileSource tells that it knows all even if nothing else is new", async () => {
  const lastGood = await leftBy("a");
  lastGood.records.clear();
  lastGood.unreadable.add("/m/a.yaml");
  await using rig = new FileSourceRig(lastGood);
  rig.files.write("a.yaml", GARBAGE, OLD);
  await rig.pass();
  lastGood.unreadable.clear();
  await rig.pass(2_000);
  deepStrictEqual(rig.sets, [
    { ...EMPTY, unknown: ["/m/a.yaml"] },
    EMPTY,
  ]);
});

Deno.test("FileSource keeps an empty list, and not what the manifest gave before", async () => {
  const lastGood = await leftBy("a");
  await using rig = new FileSourceRig(lastGood);
  const empty = `{"apiVersion":"v1","kind":"PodList","items":[]}`;
  rig.files.write("a.yaml", empty, OLD);
  await rig.pass();
  strictEqual(rig.names, "");
  deepStrictEqual(lastGood.records.get("/m/a.yaml")?.pods, []);
});

for (
  const [name, ageMs] of [["young", 0], [
    "from an hour ahead",
    -3_600_000,
  ]] as const
) {
  Deno.test(`FileSource does not say that nothing is wanted while its only manifest is ${name}`, async () => {
    await using rig = new FileSourceRig();
    rig.files.write("a.yaml", manifest("a"), { ageMs });
    await rig.pass();
    strictEqual(rig.sets.length, 0);
    await rig.pass(200);
    strictEqual(rig.names, "a");
    strictEqual(rig.sets.length, 1);
  });
}

Deno.test("FileSource waits with its first set no longer than ten seconds for a file that is written all the time", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("old.yaml", manifest("old"), OLD);
  for (let at = 0; at < 99; at++) {
    rig.files.write("log.yaml", "#".repeat(at + 1));
    rig.files.hint("log.yaml", "written");
    await rig.pass(100);
  }
  strictEqual(rig.sets.length, 0);
  rig.files.write("log.yaml", "#".repeat(100));
  rig.files.hint("log.yaml", "written");
  await rig.pass(400);
  strictEqual(rig.names, "old");
  deepStrictEqual(rig.sets.at(-1)?.unknown, ["/m/log.yaml"]);
});

Deno.test("FileSource keeps its pods when its file system is unmounted, and ends them when its directory is emptied", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.device = 2;
  rig.files.remove("a.yaml");
  rig.files.rescan();
  await rig.pass(60_000);
  strictEqual(rig.sets.length, 1);
  strictEqual(rig.lastGood.records.size, 1);
  const [condition] = rig.source.conditions();
  strictEqual(condition?.reason, "Unreachable");
  match(condition.message, /it is empty and another directory than before/);

  rig.files.device = 1;
  await rig.pass(20_000);
  strictEqual(rig.names, "");
  strictEqual(rig.source.conditions()[0]?.status, "True");
  strictEqual(rig.lastGood.records.size, 0);
});

Deno.test("FileSource does not take a hint about an unmounted file for its removal", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.inode = 2;
  rig.files.remove("a.yaml");
  rig.files.hint("a.yaml", "removed");
  await rig.pass(60_000);
  strictEqual(rig.sets.length, 1);
  strictEqual(rig.source.report()[0]?.kind, "unreachable");
});

Deno.test("FileSource removes all pods when another directory has an empty PodList", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  rig.files.inode = 2;
  rig.files.remove("a.yaml");
  rig.files.write("none.yaml", "apiVersion: v1\nkind: PodList\nitems: []\n");
  rig.files.rescan();
  await rig.pass(2_000);
  strictEqual(rig.names, "");
  deepStrictEqual(rig.source.report(), []);
});

for (const how of ["another and empty", "missing", "unreadable"] as const) {
  Deno.test(`FileSource runs what an agent before knew while its directory is ${how} at start`, async () => {
    const lastGood = await leftBy("a", "b");
    await using rig = new FileSourceRig(lastGood);
    if (how === "another and empty") rig.files.inode = 2;
    else if (how === "missing") rig.files.exists = false;
    else rig.files.outage = new Error("EIO");
    await rig.pass(60_000);
    strictEqual(rig.names, "a,b");
    deepStrictEqual(rig.sets[0]?.unknown, ["/m"]);
    strictEqual(rig.sets.length, 1);
    strictEqual(rig.source.report()[0]?.kind, "unreachable");
    strictEqual(lastGood.records.size, 2);

    // The mount comes late, and one of the manifests went while no agent looked.
    rig.files.inode = 1;
    rig.files.exists = true;
    rig.files.outage = undefined;
    rig.files.write("b.yaml", manifest("b"), OLD);
    rig.files.rescan();
    await rig.pass(2_000);
    strictEqual(rig.names, "b");
    strictEqual(rig.sets.at(-1)?.unknown, undefined);
    deepStrictEqual([...lastGood.records.keys()], ["/m/b.yaml"]);
    deepStrictEqual(rig.source.report(), []);
  });
}

Deno.test("FileSource ends what was removed while no agent looked, whatever the number of the device is now", async () => {
  const lastGood = await leftBy("a");
  await using rig = new FileSourceRig(lastGood);
  rig.files.device = 9;
  await rig.pass();
  deepStrictEqual(rig.sets, [EMPTY]);
  strictEqual(lastGood.records.size, 0);
});

Deno.test("FileSource runs what came just before the agent ended while its directory is away at start", async () => {
  const lastGood = new FakeLastGood();
  {
    await using before = new FileSourceRig(lastGood);
    await before.pass();
    before.files.write("a.yaml", manifest("a"), OLD);
    before.files.hint("a.yaml", "arrived");
    await before.pass();
    strictEqual(before.names, "a");
  }
  await using rig = new FileSourceRig(lastGood);
  rig.files.inode = 2;
  await rig.pass();
  strictEqual(rig.names, "a");
  deepStrictEqual(rig.sets[0]?.unknown, ["/m"]);
});

for (const how of ["another and empty", "missing"] as const) {
  Deno.test(`FileSource runs what an agent before read in a directory that it never saw, while that is ${how} at start`, async () => {
    const lastGood = new FakeLastGood();
    {
      await using before = new FileSourceRig(lastGood);
      before.files.outage = new Error("EIO");
      await before.pass();
      before.files.write("a.yaml", manifest("a"), OLD);
      before.files.hint("a.yaml", "arrived");
      await before.pass(200);
      strictEqual(before.names, "a");
    }
    deepStrictEqual([...lastGood.directories], []);
    await using rig = new FileSourceRig(lastGood);
    if (how === "missing") rig.files.exists = false;
    await rig.pass(60_000);
    strictEqual(rig.names, "a");
    deepStrictEqual(rig.sets.map(({ unknown }) => unknown), [["/m"]]);
    strictEqual(lastGood.records.size, 1);
  });
}

Deno.test("FileSource holds what a hint led to in a directory that cannot be listed until it is removed from there", async () => {
  await using rig = new FileSourceRig();
  rig.files.isListable = false;
  await rig.pass();
  rig.files.write("a.yaml", manifest("a"), OLD);
  rig.files.hint("a.yaml", "arrived");
  await rig.pass();
  rig.files.exists = false;
  rig.files.rescan();
  await rig.pass(60_000);
  strictEqual(rig.names, "a");
  strictEqual(rig.source.report()[0]?.kind, "unreachable");

  rig.files.exists = true;
  rig.files.isListable = true;
  rig.files.remove("a.yaml");
  rig.files.rescan();
  await rig.pass(2_000);
  deepStrictEqual(rig.sets.at(-1), EMPTY);
  deepStrictEqual(rig.source.report(), []);
});

for (const when of ["looked at", "read"] as const) {
  Deno.test(`FileSource keeps its pods when their file system is unmounted just after a manifest was ${when} because of a hint`, async () => {
    await using rig = new FileSourceRig();
    const { files } = rig;
    files.write("a.yaml", manifest("a"), OLD);
    await rig.pass();
    files.write("b.yaml", manifest("b"), OLD);
    files.hint("b.yaml", "arrived");
    const unmount = (path: string): void => {
      if (path !== "/m/b.yaml") return;
      files.inode = 2;
      files.files.clear();
    };
    const [look, read] = [files.look.bind(files), files.read.bind(files)];
    if (when === "looked at") {
      files.look = async (path) => {
        const found = await look(path);
        unmount(path);
        return found;
      };
    } else {
      files.read = async (path, maxBytes) => {
        const found = await read(path, maxBytes);
        unmount(path);
        return found;
      };
    }
    await rig.pass(60_000);
    strictEqual(rig.names, when === "read" ? "a,b" : "a");
    match(
      rig.source.conditions()[0]?.message ?? "",
      /it is empty and another directory than before/,
    );
  });
}

Deno.test("FileSource ends what a hint led to in a directory that was mounted just then, and is removed again", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.inode = 2;
  rig.files.write("a.yaml", manifest("a"), OLD);
  rig.files.hint("a.yaml", "arrived");
  await rig.pass();
  strictEqual(rig.names, "a");
  rig.files.remove("a.yaml");
  await rig.pass(21_000);
  strictEqual(rig.names, "");
  deepStrictEqual(rig.source.report(), []);
});

Deno.test("FileSource starts in another directory that is empty when there were no manifests", async () => {
  const lastGood = await leftBy();
  await using rig = new FileSourceRig(lastGood);
  rig.files.inode = 2;
  await rig.pass();
  strictEqual(rig.sets.length, 1);
  deepStrictEqual(rig.source.report(), []);
});

Deno.test("FileSource says nothing while it cannot read whether its empty directory had manifests", async () => {
  const lastGood = await leftBy("a");
  lastGood.unreadable.add("/m");
  lastGood.unreadable.add("/m/a.yaml");
  await using rig = new FileSourceRig(lastGood);
  rig.files.inode = 2;
  await rig.pass();
  strictEqual(rig.sets.length, 0);
  strictEqual(rig.source.report()[0]?.kind, "unreachable");
  lastGood.unreadable.clear();
  await rig.pass(3_000);
  strictEqual(rig.names, "a");
  deepStrictEqual(rig.sets.at(-1)?.unknown, ["/m"]);
});

Deno.test("FileSource names the pods that the node refuses, with the namespace that is written", async () => {
  await using rig = new FileSourceRig(
    undefined,
    () => [{ field: "spec", message: "no address yet" }],
  );
  rig.files.write("a.yaml", manifest("a"), OLD);
  const b = manifest("b").replace('"name"', '"namespace":"shop","name"');
  rig.files.write("b.yaml", b, OLD);
  await rig.pass();
  deepStrictEqual(
    rig.source.report().map((one) => one.kind === "refused" && one.named),
    [[{ name: "a" }], [{ name: "b", namespace: "shop" }]],
  );
});

Deno.test("FileSource takes a manifest that the node refused when the node takes it, and tells of it once", async () => {
  let isUp = false;
  await using rig = new FileSourceRig(
    undefined,
    () => isUp ? [] : [{ field: "spec", message: "no address yet" }],
  );
  rig.files.write("a.yaml", manifest("a"), OLD);
  await rig.pass();
  await rig.pass(85_000);
  strictEqual(rig.names, "");
  strictEqual(rig.count("manifest_refused"), 1);
  isUp = true;
  await rig.pass(30_000);
  strictEqual(rig.names, "a");
  deepStrictEqual(rig.source.report(), []);
  const reads = rig.files.readsOf("a.yaml");
  await rig.pass(600_000);
  strictEqual(rig.files.readsOf("a.yaml"), reads);
});
