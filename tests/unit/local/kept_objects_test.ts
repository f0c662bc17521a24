/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { CrashDisk } from "../../support/local/crash_disk.ts";
import { KeptRig, startKept } from "../../support/local/kept_rig.ts";
import {
  plainWish,
  POD_KIND,
  podWish,
  refOf,
  type Seen,
  SET_KIND,
} from "../../support/local/local_rig.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const JOB_KIND = { apiVersion: "batch/v1", kind: "Job" };

function newDisk(): CrashDisk {
  return new CrashDisk(seededRandom(1));
}

function manifest(name: string, replicas = 1) {
  return {
    ...SET_KIND,
    metadata: { name, namespace: "shop" },
    spec: { replicas },
  };
}

Deno.test("the next agent finds the objects of the one before", async () => {
  const disk = newDisk();
  let set: Seen;
  {
    await using rig = await startKept(disk);
    set = await rig.create(plainWish(SET_KIND, "web"));
    await rig.create(podWish("gone"));
    await rig.store.delete(
      refOf(POD_KIND, "gone"),
      { gracePeriodSeconds: 0 },
      rig.signal,
    );
  }
  await using rig = await startKept(disk);
  deepStrictEqual(await rig.get(SET_KIND, "web"), set);
  deepStrictEqual(await rig.names(POD_KIND), []);
  strictEqual(rig.store.damage, undefined);
});

Deno.test("a change is told when it is written, and not before", async () => {
  await using rig = new KeptRig();
  await rig.store.load(rig.signal);
  const read = await rig.watch(SET_KIND);
  let isOver = false;
  const made = rig.create(plainWish(SET_KIND, "a")).then(() => isOver = true);
  const first = read(1).then((events) =>
    rig.disk.changes.length > 0 ? events : ["early"]
  );
  await rig.clock.advance(10_000);
  strictEqual(isOver, false);
  // It is there for everybody who wants its name.
  await rejects(rig.create(plainWish(SET_KIND, "a")), {
    reason: "AlreadyExists",
  });
  const running = rig.store.run(rig.signal);
  await made;
  deepStrictEqual(rig.disk.changes, ["write objects-000001.log"]);
  deepStrictEqual(await first, ["ADDED a@1"]);
  rig.controller.abort();
  await running;
});

Deno.test("changes of one moment are one write, and a quiet store writes nothing", async () => {
  await using rig = await startKept();
  await rig.clock.advance(3_600_000);
  strictEqual(rig.writes, 0);
  await rig.create(plainWish(SET_KIND, "first"));
  const names = Array.from({ length: 50 }, (_, at) => `set-${at}`);
  await Promise.all(names.map((name) => rig.create(plainWish(SET_KIND, name))));
  deepStrictEqual(rig.disk.changes, [
    "write objects-000001.log",
    "append objects-000001.log",
  ]);
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.disk.changes.slice(2), ["sync objects-000001.log"]);
  await rig.clock.advance(3_600_000);
  strictEqual(rig.writes, 3);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("a status that is found out again is not written, and one that is not is gathered", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk);
    const set = await rig.create(plainWish(SET_KIND, "web"));
    const job = await rig.create(plainWish(JOB_KIND, "pi"));
    await rig.clock.advance(10_000);
    const before = rig.writes;
    await rig.restate(set, { replicas: 1 });
    await rig.clock.advance(10_000);
    strictEqual(rig.writes, before);
    let latest: Seen = job;
    for (let succeeded = 1; succeeded <= 20; succeeded++) {
      latest = await rig.restate(latest, { succeeded });
    }
    strictEqual(rig.writes, before);
    await rig.clock.advance(999);
    strictEqual(rig.writes, before);
    await rig.clock.advance(1);
    strictEqual(rig.writes, before + 1);
  }
  await using rig = await startKept(disk);
  deepStrictEqual((await rig.get(JOB_KIND, "pi")).status, { succeeded: 20 });
  strictEqual("status" in await rig.get(SET_KIND, "web"), false);
});

Deno.test("what was asked for last is written at the end", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk);
    const job = await rig.create(plainWish(JOB_KIND, "pi"));
    await rig.restate(job, { succeeded: 1 });
  }
  deepStrictEqual(disk.changes.slice(-2), [
    "append objects-000001.log",
    "sync objects-000001.log",
  ]);
  await using rig = await startKept(disk);
  deepStrictEqual((await rig.get(JOB_KIND, "pi")).status, { succeeded: 1 });
});

const statuses: readonly (readonly [
  apiVersion: string,
  kind: string,
  isLasting: boolean,
])[] = [
  ["v1", "ReplicationController", false],
  ["apps/v1", "ReplicaSet", false],
  ["apps/v1", "DaemonSet", false],
  ["apps/v1", "Deployment", true],
  ["apps/v1", "StatefulSet", true],
  ["batch/v1", "CronJob", true],
];

for (const [apiVersion, kind, isLasting] of statuses) {
  Deno.test(`the status of a ${kind} is ${isLasting ? "" : "not "}found again`, async () => {
    const disk = newDisk();
    {
      await using rig = await startKept(disk);
      const made = await rig.create(plainWish({ apiVersion, kind }, "web"));
      await rig.restate(made, { replicas: 1 });
    }
    await using rig = await startKept(disk);
    const { status } = await rig.get({ apiVersion, kind }, "web");
    deepStrictEqual(status, isLasting ? { replicas: 1 } : undefined);
  });
}

Deno.test("a Pod that is found again is pending", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk);
    const pod = await rig.create(podWish("web"));
    await rig.restate(pod, { phase: "Running" });
  }
  await using rig = await startKept(disk);
  deepStrictEqual((await rig.get(POD_KIND, "web")).status, {
    phase: "Pending",
  });
});

Deno.test("no version is given out twice, also by an agent that only told statuses", async () => {
  const disk = newDisk();
  const seen: number[] = [];
  for (let run = 0; run < 4; run++) {
    await using rig = await startKept(disk);
    const pod = run === 0
      ? await rig.create(podWish("web"))
      : await rig.get(POD_KIND, "web");
    let latest: Seen = pod;
    for (let count = 0; count < 10; count++) {
      latest = await rig.restate(latest, { phase: `${run} ${count}` });
      seen.push(Number(latest.metadata.resourceVersion));
    }
  }
  deepStrictEqual(seen, [...seen].sort((a, b) => a - b));
  strictEqual(new Set(seen).size, 40);
});

Deno.test("versions are reserved long before they run out", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk);
    let latest = await rig.create(podWish("web"));
    await rig.clock.advance(10_000);
    const before = rig.writes;
    for (let count = 0; count < 50_000; count++) {
      latest = await rig.restate(latest, { phase: `${count}` });
    }
    await rig.clock.advance(10_000);
    strictEqual(rig.writes, before);
    await rig.restate(latest, { phase: "one more" });
    await rig.clock.advance(10_000);
    deepStrictEqual(rig.disk.changes.slice(before), [
      "append objects-000001.log",
      "sync objects-000001.log",
    ]);
  }
  await using rig = await startKept(disk);
  const { resourceVersion } = await rig.store.reader(POD_KIND)
    .list({}, rig.signal);
  // So many more than there were when they were reserved.
  strictEqual(Number(resourceVersion) > 150_000, true);
});

Deno.test("an object of a manifest is the same one after a restart", async () => {
  const disk = newDisk();
  let before: Seen;
  {
    await using rig = await startKept(disk, { sources: ["file"] });
    rig.store.replaceManifests("file", [manifest("web"), manifest("db")]);
    await rig.store.patch(
      refOf(SET_KIND, "web"),
      { spec: { replicas: 5 } },
      rig.signal,
    );
    before = await rig.get(SET_KIND, "web");
  }
  await using rig = await startKept(disk, { sources: ["file"] });
  deepStrictEqual(await rig.names(SET_KIND), ["db", "web"]);
  rig.store.replaceManifests("file", [manifest("web")], "part");
  deepStrictEqual(await rig.get(SET_KIND, "web"), before);
  rig.store.replaceManifests("file", [manifest("web")]);
  deepStrictEqual(await rig.names(SET_KIND), ["web"]);
  deepStrictEqual(await rig.get(SET_KIND, "web"), before);
});

Deno.test("what came from a source that is not there any more goes, unless another has it", async () => {
  const disk = newDisk();
  let moved: Seen | undefined;
  {
    await using rig = await startKept(disk, { sources: ["file", "url"] });
    rig.store.replaceManifests("url", [manifest("web"), manifest("moved")]);
    rig.store.replaceManifests("file", [manifest("db")]);
    await rig.create(plainWish(SET_KIND, "own"));
    moved = await rig.get(SET_KIND, "moved");
  }
  await using rig = await startKept(disk, { sources: ["file"] });
  deepStrictEqual(await rig.names(SET_KIND), ["db", "moved", "own", "web"]);
  rig.store.replaceManifests("file", [manifest("db"), manifest("moved")]);
  deepStrictEqual(await rig.names(SET_KIND), ["db", "moved", "own"]);
  const { metadata: { uid } } = await rig.get(SET_KIND, "moved");
  strictEqual(uid, moved?.metadata.uid);
});

Deno.test("what a client deleted does not come back after a restart", async () => {
  const disk = newDisk();
  const sources = ["file", "url"];
  {
    await using rig = await startKept(disk, { sources });
    rig.store.replaceManifests("file", [manifest("web"), manifest("db")]);
    for (const name of ["web", "db"]) {
      await rig.store.delete(refOf(SET_KIND, name), {}, rig.signal);
    }
  }
  {
    await using rig = await startKept(disk, { sources });
    rig.store.replaceManifests("url", []);
    rig.store.replaceManifests("file", [manifest("web"), manifest("db", 2)]);
    deepStrictEqual(await rig.names(SET_KIND), ["db"]);
    rig.store.replaceManifests("file", []);
  }
  await using rig = await startKept(disk, { sources });
  rig.store.replaceManifests("file", [manifest("web")]);
  deepStrictEqual(await rig.names(SET_KIND), ["web"]);
});

Deno.test("a manifest that has left its folder is followed when it is back, whatever a power cut took", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk, { sources: ["file"] });
    rig.store.replaceManifests("file", [manifest("web")]);
    await rig.store.delete(refOf(SET_KIND, "web"), {}, rig.signal);
    await rig.clock.advance(10_000);
    rig.store.replaceManifests("file", []);
    await rig.clock.advance(10_000);
    disk.changesLeft = 0;
  }
  disk.restart();
  await using rig = await startKept(disk, { sources: ["file"] });
  rig.store.replaceManifests("file", [manifest("web")]);
  deepStrictEqual(await rig.names(SET_KIND), ["web"]);
});

Deno.test("a power cut after a manifest left its folder leaves no orphans", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk, { sources: ["file"] });
    rig.store.replaceManifests("file", [manifest("web")]);
    const { apiVersion, kind, metadata: { name, uid } } = await rig.get(
      SET_KIND,
      "web",
    );
    const ownerReferences = [{ apiVersion, kind, name, uid }];
    await rig.create(podWish("web-a", { ownerReferences }));
    // The agent dies when the end of the owner is written.
    disk.changesLeft = 1;
    rig.store.replaceManifests("file", []);
    await rig.clock.advance(100);
  }
  disk.restart();
  await using rig = await startKept(disk, { sources: ["file"] });
  rig.store.replaceManifests("file", []);
  await rig.clock.advance(100);
  const pod = await rig.get(POD_KIND, "web-a");
  strictEqual(pod.metadata.deletionTimestamp !== undefined, true);
});
