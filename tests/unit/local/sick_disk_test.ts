/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { CrashDisk } from "../../support/local/crash_disk.ts";
import { KeptRig, startKept } from "../../support/local/kept_rig.ts";
import {
  plainWish,
  podWish,
  refOf,
  SET_KIND,
} from "../../support/local/local_rig.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const JOB_KIND = { apiVersion: "batch/v1", kind: "Job" };
const MAP_KIND = { apiVersion: "v1", kind: "ConfigMap" };

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

Deno.test("before it has been read, the store refuses every call and holds back what sources say", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk);
    rig.store.replaceManifests("file", [manifest("web"), manifest("db")]);
    await rig.create(plainWish(SET_KIND, "own"));
  }
  await using rig = new KeptRig(disk);
  const { store, signal } = rig;
  const refused = {
    reason: "ServiceUnavailable",
    message:
      "The objects of this node are not known yet: they have not been read",
  };
  await rejects(rig.names(SET_KIND), refused);
  await rejects(rig.watch(SET_KIND), refused);
  await rejects(rig.get(SET_KIND, "web"), refused);
  await rejects(rig.create(podWish("a")), refused);
  await rejects(store.delete(refOf(SET_KIND, "web"), {}, signal), refused);
  await store.finishDelete("u1");
  deepStrictEqual(store.replaceManifests("file", [manifest("web", 2)]), []);
  store.showObjects([{
    kind: "ConfigMap",
    namespace: "shop",
    name: "settings",
    type: "",
    immutable: false,
    entries: new Map(),
  }]);
  await rig.start();
  deepStrictEqual(await rig.names(SET_KIND), ["own", "web"]);
  deepStrictEqual(await rig.names(MAP_KIND), ["settings"]);
});

Deno.test("a disk that cannot be read is asked again, and the reason is told", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk);
    await rig.create(plainWish(SET_KIND, "web"));
  }
  const before = disk.changes.length;
  await using rig = new KeptRig(disk);
  disk.failingReads = 3;
  const starting = rig.start();
  await rig.clock.advance(100);
  await rejects(rig.names(SET_KIND), {
    message: "The objects of this node are not known yet: " +
      "The disk does not answer",
  });
  await rig.clock.advance(2_899);
  await rejects(rig.names(SET_KIND), { reason: "ServiceUnavailable" });
  await rig.clock.advance(4_001);
  await starting;
  deepStrictEqual(await rig.names(SET_KIND), ["web"]);
  strictEqual(disk.changes.length, before);
});

Deno.test("a load that is not wanted any more ends", async () => {
  const rig = new KeptRig();
  rig.disk.failingReads = Infinity;
  const loading = rejects(rig.store.load(rig.signal), { name: "AbortError" });
  await rig.clock.advance(100);
  await rig[Symbol.asyncDispose]();
  await loading;
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("a disk that refuses holds up nobody, is told, and gets all in the end", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk);
    await rig.create(plainWish(SET_KIND, "a"));
    const read = await rig.watch(SET_KIND, { resourceVersion: "1" });
    disk.isFull = true;
    await rig.create(plainWish(SET_KIND, "b"));
    strictEqual(rig.store.writeFailure, "No space left on device");
    await rig.create(plainWish(SET_KIND, "c"));
    await rig.store.delete(refOf(SET_KIND, "a"), {}, rig.signal);
    deepStrictEqual(await read(3), ["ADDED b@2", "ADDED c@3", "DELETED a@4"]);
    await rig.clock.advance(500);
    disk.isFull = false;
    strictEqual(rig.store.writeFailure, "No space left on device");
    await rig.clock.advance(500);
    strictEqual(rig.store.writeFailure, undefined);
    // What is on the disk after a write that failed is not known.
    deepStrictEqual(disk.changes.slice(1), [
      "write objects-000002.log",
      "remove objects-000001.log",
    ]);
  }
  await using rig = await startKept(disk);
  deepStrictEqual(await rig.names(SET_KIND), ["b", "c"]);
});

Deno.test("a disk that goes on to refuse is asked more and more seldom", async () => {
  await using rig = await startKept();
  rig.disk.isFull = true;
  let tries = 0;
  const writeWhole = rig.disk.writeWhole.bind(rig.disk);
  rig.disk.writeWhole = (path, bytes) => {
    tries++;
    return writeWhole(path, bytes);
  };
  await rig.create(plainWish(SET_KIND, "a"));
  strictEqual(tries, 1);
  await rig.clock.advance(7_000);
  strictEqual(tries, 4);
  // At the very moment at which the 60th minute after the first is over.
  await rig.clock.advance(3_596_000);
  strictEqual(tries, 4 + 3 + 59);
});

Deno.test("a file that has grown too much is written anew", async () => {
  const disk = newDisk();
  {
    await using rig = await startKept(disk);
    const spec = { text: "x".repeat(10_000) };
    await rig.create({ ...plainWish(SET_KIND, "a"), spec });
    for (let count = 0; count < 60; count++) {
      const patch = { metadata: { labels: { count: `${count}` } } };
      await rig.store.patch(refOf(SET_KIND, "a"), patch, rig.signal);
    }
  }
  const whole = disk.changes.filter((each) => each.startsWith("write"));
  strictEqual(whole.length > 1 && whole.length < 5, true, `${whole.length}`);
  strictEqual(disk.files.size, 1);
  await using rig = await startKept(disk);
  const { metadata } = await rig.get(SET_KIND, "a");
  deepStrictEqual(metadata.labels, { count: "59" });
});

Deno.test("what changes while something is written is told with the next write, in order", async () => {
  await using rig = await startKept();
  const { disk } = rig;
  await rig.create(plainWish(SET_KIND, "a"));
  const gates: (() => void)[] = [];
  const append = disk.append.bind(disk);
  disk.append = async (path, bytes) => {
    await new Promise<void>((resolve) => gates.push(resolve));
    await append(path, bytes);
  };
  const read = await rig.watch(SET_KIND, { resourceVersion: "1" });
  const told: string[] = [];
  const make = async (name: string) => {
    await rig.create(plainWish(SET_KIND, name));
    told.push(name);
  };
  const b = make("b");
  const c = make("c");
  await rig.clock.advance(0);
  const d = make("d");
  const e = make("e");
  await rig.clock.advance(0);
  strictEqual(gates.length, 1);
  gates[0]?.();
  await Promise.all([b, c]);
  deepStrictEqual(told, ["b", "c"]);
  deepStrictEqual(await read(2), ["ADDED b@2", "ADDED c@3"]);
  await rig.clock.advance(0);
  strictEqual(gates.length, 2);
  gates[1]?.();
  await Promise.all([d, e]);
  deepStrictEqual(await read(2), ["ADDED d@4", "ADDED e@5"]);
});

Deno.test("a disk that hangs holds up nobody for long, nor the end", async () => {
  const rig = await startKept();
  await rig.create(plainWish(SET_KIND, "a"));
  rig.disk.append = () => new Promise(() => {});
  rig.disk.writeWhole = () => new Promise(() => {});
  const made = rig.create(plainWish(SET_KIND, "b"));
  await rig.clock.advance(5_000);
  await made;
  strictEqual(rig.store.writeFailure === undefined, false);
  await rig.clock.advance(2_000);
  const ending = rig[Symbol.asyncDispose]();
  await rig.clock.advance(5_000);
  await ending;
});

Deno.test("the end does not wait for a disk that hangs, and lets go who waits", async () => {
  const rig = await startKept();
  const job = await rig.create(plainWish(JOB_KIND, "pi"));
  await rig.clock.advance(10_000);
  rig.disk.append = () => new Promise(() => {});
  // To be written at the end.
  await rig.restate(job, { succeeded: 1 });
  const ending = rig[Symbol.asyncDispose]();
  await rig.clock.advance(0);
  const { signal } = new AbortController();
  const made = rig.store.create(plainWish(SET_KIND, "late"), signal);
  await rig.clock.advance(1_000);
  await ending;
  await made;
});

Deno.test("other files in the directory are no journal", async () => {
  const disk = newDisk();
  const file = { bytes: new Uint8Array(), synced: 0 };
  disk.files.set("/store/notes.txt", file);
  disk.files.set("/store/objects-.log", file);
  await using rig = await startKept(disk);
  await rig.create(plainWish(SET_KIND, "a"));
  deepStrictEqual(disk.changes, ["write objects-000001.log"]);
});

Deno.test("run() reads what was not read before, and ends while it cannot", async () => {
  const disk = newDisk();
  {
    await using rig = new KeptRig(disk);
    const running = rig.store.run(rig.signal);
    await rig.clock.advance(0);
    await rig.create(plainWish(SET_KIND, "a"));
    rig.controller.abort();
    await running;
  }
  const { length } = disk.changes;
  {
    await using rig = await startKept(disk);
    deepStrictEqual(await rig.names(SET_KIND), ["a"]);
    // A second time nothing is read.
    disk.failingReads = Infinity;
    await rig.store.load(rig.signal);
  }
  // An agent that changes nothing writes nothing.
  strictEqual(disk.changes.length, length);
  const rig = new KeptRig(disk);
  const running = rig.store.run(rig.signal);
  await rig.clock.advance(100);
  rig.controller.abort();
  await running;
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("what goes wrong with the disk is logged when it begins and when it is over", async () => {
  const disk = newDisk();
  const messages: string[] = [];
  const log = messagesTo(messages);
  {
    await using rig = await startKept(disk, { log });
    disk.isFull = true;
    await rig.create(plainWish(SET_KIND, "a"));
    await rig.clock.advance(3_000);
    disk.isFull = false;
    await rig.clock.advance(4_000);
    await rig.create(plainWish(SET_KIND, "b"));
    deepStrictEqual(messages, [
      "local_store_not_written",
      "local_store_written_again",
    ]);
  }
  disk.spoil(
    "objects-000001.log",
    '"name":"a","namespace"',
    '"name":"A","namespace"',
  );
  messages.length = 0;
  disk.failingReads = 1;
  await using rig = new KeptRig(disk, { log });
  const starting = rig.start();
  await rig.clock.advance(1_000);
  await starting;
  deepStrictEqual(messages, [
    "local_store_unreadable",
    "local_journal_cut",
    "local_store_damaged",
  ]);
});

Deno.test("what was added is synced five seconds after the first of it", async () => {
  await using rig = await startKept();
  await rig.create(plainWish(SET_KIND, "a"));
  await rig.create(plainWish(SET_KIND, "b"));
  await rig.clock.advance(3_000);
  await rig.create(plainWish(SET_KIND, "c"));
  const before = rig.writes;
  await rig.clock.advance(1_999);
  strictEqual(rig.writes, before);
  await rig.clock.advance(1);
  deepStrictEqual(rig.disk.changes.slice(before), ["sync objects-000001.log"]);
});

Deno.test("what could not be synced is told, and all is written anew", async () => {
  await using rig = await startKept();
  const { disk, store, clock } = rig;
  await rig.create(plainWish(SET_KIND, "a"));
  await rig.create(plainWish(SET_KIND, "b"));
  disk.isFull = true;
  await clock.advance(5_000);
  strictEqual(store.writeFailure, "No space left on device");
  disk.isFull = false;
  const before = rig.writes;
  await clock.advance(1_000);
  strictEqual(store.writeFailure, undefined);
  deepStrictEqual(disk.changes.slice(before), [
    "write objects-000002.log",
    "remove objects-000001.log",
  ]);
});
