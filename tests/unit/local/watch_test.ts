/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { WatchOptions } from "../../../mod/api/access/mod.ts";
import {
  LocalRig,
  plainWish,
  POD_KIND,
  podWish,
  refOf,
  SET_KIND,
} from "../../support/local/local_rig.ts";

async function label(rig: LocalRig, name: string, app: string | null) {
  const metadata = { labels: { app } };
  await rig.store.patch(refOf(SET_KIND, name), { metadata }, rig.signal);
}

async function remove(rig: LocalRig, name: string) {
  await rig.store.delete(refOf(SET_KIND, name), {}, rig.signal);
}

Deno.test("a watch tells what becomes of the objects of its kind", async () => {
  const rig = new LocalRig();
  await rig.create(plainWish(SET_KIND, "old"));
  const read = await rig.watch(SET_KIND, { resourceVersion: "1" });
  await rig.create(podWish("web"));
  await rig.create(plainWish(SET_KIND, "web"));
  await label(rig, "old", "a");
  await remove(rig, "web");
  deepStrictEqual(await read(3), [
    "ADDED web@3",
    "MODIFIED old@4",
    "DELETED web@5",
  ]);
});

for (const resourceVersion of [undefined, "", "0"]) {
  Deno.test(`a watch from version ${resourceVersion} begins with what is there`, async () => {
    const rig = new LocalRig();
    await rig.create(plainWish(SET_KIND, "b"));
    await rig.create(plainWish(SET_KIND, "a"));
    const read = await rig.watch(SET_KIND, {
      ...(resourceVersion !== undefined && { resourceVersion }),
    });
    await label(rig, "b", "x");
    deepStrictEqual(await read(3), ["ADDED a@2", "ADDED b@1", "MODIFIED b@3"]);
  });
}

const INITIAL: readonly (readonly [WatchOptions, readonly string[]])[] = [
  [{ sendInitialEvents: true }, [
    "ADDED a@1",
    "BOOKMARK @2 initial",
    "ADDED b@3",
  ]],
  [
    { sendInitialEvents: true, resourceVersion: "2" },
    ["ADDED a@1", "BOOKMARK @2 initial", "ADDED b@3"],
  ],
  [{ sendInitialEvents: false }, ["ADDED a@1", "ADDED b@3"]],
  [{ sendInitialEvents: false, resourceVersion: "2" }, ["ADDED b@3"]],
];

for (const [options, wanted] of INITIAL) {
  Deno.test(`a watch with ${JSON.stringify(options)} begins with ${wanted[0]}`, async () => {
    const rig = new LocalRig();
    await rig.create(plainWish(SET_KIND, "a"));
    await rig.create(podWish("web"));
    const read = await rig.watch(SET_KIND, options);
    await rig.create(plainWish(SET_KIND, "b"));
    deepStrictEqual(await read(wanted.length), wanted);
  });
}

Deno.test("a watch tells what comes and goes for its selector", async () => {
  const rig = new LocalRig();
  const read = await rig.watch(SET_KIND, { labelSelector: "app=web" });
  await rig.create(plainWish(SET_KIND, "a"));
  await label(rig, "a", "web");
  await label(rig, "a", "db");
  await label(rig, "a", "web");
  await rig.store.patch(
    refOf(SET_KIND, "a"),
    { spec: { replicas: 9 } },
    rig.signal,
  );
  await remove(rig, "a");
  await rig.create(plainWish(SET_KIND, "b", { labels: { app: "db" } }));
  await remove(rig, "b");
  await rig.create(plainWish(SET_KIND, "c", { labels: { app: "web" } }));
  deepStrictEqual(await read(6), [
    "ADDED a@2",
    "DELETED a@3",
    "ADDED a@4",
    "MODIFIED a@5",
    "DELETED a@6",
    "ADDED c@9",
  ]);
});

Deno.test("what leaves a selector is told as it was when it was meant", async () => {
  const rig = new LocalRig();
  await rig.create(plainWish(SET_KIND, "a", { labels: { app: "web" } }));
  const events = await rig.store.reader(SET_KIND).watch(
    { labelSelector: "app=web", resourceVersion: "1" },
    rig.signal,
  );
  await label(rig, "a", null);
  for await (const event of events) {
    strictEqual(event.type, "DELETED");
    if (event.type !== "DELETED") return;
    deepStrictEqual(event.object.metadata.labels, { app: "web" });
    strictEqual(event.object.metadata.resourceVersion, "2");
    break;
  }
});

Deno.test("a watch begins with those only that its selectors mean", async () => {
  const rig = new LocalRig();
  await rig.create(plainWish(SET_KIND, "a", { namespace: "home" }));
  await rig.create(plainWish(SET_KIND, "b"));
  const read = await rig.watch(SET_KIND, {
    namespace: "shop",
    fieldSelector: "metadata.name!=c",
    sendInitialEvents: true,
  });
  deepStrictEqual(await read(2), ["ADDED b@2", "BOOKMARK @2 initial"]);
});

Deno.test("a watch is refused for a version that is not there yet, is forgotten, or is none", async () => {
  const rig = new LocalRig({ watchLimits: { kept: 4, behind: 100 } });
  await rig.create(plainWish(SET_KIND, "a"));
  const watch = (resourceVersion: string) =>
    rig.store.reader(SET_KIND).watch({ resourceVersion }, rig.signal);
  await rejects(watch("2"), {
    reason: "ResourceVersionTooLarge",
    message: "Cannot read ReplicaSet objects at version 2: the newest is 1",
  });
  for (const text of ["x", "-1", "1.5", "1e3", "9999999999999999"]) {
    await rejects(watch(text), { reason: "BadRequest" });
  }
  for (let count = 0; count < 100; count++) await label(rig, "a", `${count}`);
  await rejects(watch("1"), {
    reason: "Expired",
    message: "Cannot tell what changed since version 1: that is too long ago",
  });
  await watch("100");
});

Deno.test("other kinds do not make a watch too old", async () => {
  const rig = new LocalRig({ watchLimits: { kept: 4, behind: 100 } });
  await rig.create(podWish("web"));
  await rig.create(plainWish(SET_KIND, "a"));
  for (let count = 0; count < 100; count++) await label(rig, "a", `${count}`);
  const read = await rig.watch(POD_KIND, { resourceVersion: "1" });
  await rig.create(podWish("db"));
  deepStrictEqual(await read(1), ["ADDED db@103"]);
});

Deno.test("a watch that does not read is cut off, and is told so", async () => {
  const rig = new LocalRig({ watchLimits: { kept: 4, behind: 30 } });
  await rig.create(plainWish(SET_KIND, "a"));
  const slow = await rig.watch(SET_KIND);
  const read = await rig.watch(SET_KIND);
  deepStrictEqual(await slow(1), ["ADDED a@1"]);
  deepStrictEqual(await read(1), ["ADDED a@1"]);
  for (let count = 0; count < 100; count++) {
    await label(rig, "a", `${count}`);
    deepStrictEqual(await read(1), [`MODIFIED a@${count + 2}`]);
  }
  deepStrictEqual(await slow(2), ["ERROR Expired", "end"]);
});

Deno.test("a watch that reads late misses nothing within the limit", async () => {
  const rig = new LocalRig({ watchLimits: { kept: 4, behind: 90 } });
  await rig.create(plainWish(SET_KIND, "a"));
  const slow = await rig.watch(SET_KIND, { resourceVersion: "1" });
  for (let count = 0; count < 70; count++) await label(rig, "a", `${count}`);
  const seen = await slow(70);
  strictEqual(seen[0], "MODIFIED a@2");
  strictEqual(seen[69], "MODIFIED a@71");
});

Deno.test("a watch ends after its time, with a bookmark if it wants any", async () => {
  const rig = new LocalRig();
  await rig.create(plainWish(SET_KIND, "a"));
  const time = { timeoutSeconds: 30 };
  const silent = await rig.watch(SET_KIND, time);
  const told = await rig.watch(SET_KIND, {
    ...time,
    allowWatchBookmarks: true,
  });
  deepStrictEqual(await silent(1), ["ADDED a@1"]);
  deepStrictEqual(await told(1), ["ADDED a@1"]);
  await rig.create(podWish("web"));
  const ends = Promise.all([silent(1), told(2)]);
  await rig.clock.advance(29_999);
  strictEqual(rig.clock.pendingTimers, 2);
  await rig.clock.advance(1);
  deepStrictEqual(await ends, [["end"], ["BOOKMARK @2", "end"]]);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("a watch that is through has no bookmark at its end", async () => {
  const rig = new LocalRig();
  await rig.create(plainWish(SET_KIND, "a"));
  const options = { timeoutSeconds: 30, allowWatchBookmarks: true };
  const read = await rig.watch(SET_KIND, options);
  deepStrictEqual(await read(1), ["ADDED a@1"]);
  const late = await rig.watch(SET_KIND, {
    ...options,
    resourceVersion: "1",
  });
  const end = read(1);
  await rig.clock.advance(30_000);
  deepStrictEqual(await end, ["end"]);
  // What was not read is not told as read.
  const unread = await rig.watch(SET_KIND, {
    ...options,
    resourceVersion: "1",
  });
  const first = unread(1);
  await label(rig, "a", "x");
  deepStrictEqual(await first, ["MODIFIED a@2"]);
  await label(rig, "a", "y");
  await rig.clock.advance(30_000);
  deepStrictEqual(await unread(1), ["end"]);
  deepStrictEqual(await late(1), ["end"]);
});

Deno.test("a watch for which nothing happens is told how far it has come", async () => {
  const rig = new LocalRig();
  await rig.create(plainWish(SET_KIND, "a"));
  const options = { labelSelector: "app=web", resourceVersion: "1" };
  const read = await rig.watch(SET_KIND, {
    ...options,
    allowWatchBookmarks: true,
  });
  const silent = await rig.watch(SET_KIND, options);
  for (let count = 0; count < 201; count++) await label(rig, "a", `${count}`);
  deepStrictEqual(await read(2), ["BOOKMARK @101", "BOOKMARK @201"]);
  await label(rig, "a", "web");
  deepStrictEqual(await read(1), ["ADDED a@203"]);
  deepStrictEqual(await silent(1), ["ADDED a@203"]);
});

Deno.test("a watch ends with its signal, read or not", async () => {
  const rig = new LocalRig();
  const read = await rig.watch(SET_KIND, { timeoutSeconds: 30 });
  const unread = await rig.watch(SET_KIND);
  const waiting = read(1);
  rig.controller.abort();
  deepStrictEqual(await waiting, ["end"]);
  deepStrictEqual(await unread(1), ["end"]);
  strictEqual(rig.clock.pendingTimers, 0);
});
