/**
 * What the pod storage makes of sources that speak at different times.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { SourcesReady } from "../../../mod/source/merge/sources_ready.ts";
import { sourcePod } from "../../support/source/source_pods.ts";
import {
  nameOf,
  newStorage,
  says,
  set,
  words,
} from "../../support/source/updates.ts";

const a = sourcePod({ name: "a" });
const b = sourcePod({ name: "b" });
const changedA = sourcePod({ name: "a", image: "x" });
const endingA = sourcePod({
  name: "a",
  metadata: { deletionTimestamp: "2026-01-02T03:04:05Z" },
});

Deno.test("PodStorage.merge() says when a pod was told to end, once", () => {
  const storage = newStorage();
  storage.merge(says("set", a));
  storage.merge(says("delete", a));
  const [held] = storage.pods();
  strictEqual(held?.metadata.deletionTimestamp, "2026-01-01T00:00:00Z");
  storage.merge(says("delete", endingA));
  strictEqual(
    storage.pods()[0]?.metadata.deletionTimestamp,
    endingA.metadata.deletionTimestamp,
  );
});

Deno.test("PodStorage.merge() marks restored pods with source and time", () => {
  const storage = newStorage();
  const [change] = storage.merge({
    op: "restore",
    source: "http",
    pods: [a],
    objects: [],
    workloads: [],
  });
  deepStrictEqual(change?.pods[0]?.metadata.annotations, {
    "kubernetes.io/config.source": "http",
    "kubernetes.io/config.seen": "2026-01-01T00:00:00.000000000Z",
  });
});

Deno.test("PodStorage.merge() tells a removed pod as it was last", () => {
  const storage = newStorage();
  storage.merge(says("set", a));
  storage.merge(says("update", changedA));
  const [change] = storage.merge(says("remove", a));
  deepStrictEqual(change?.pods[0]?.spec, changedA.spec);
});

for (const op of ["restore", "add", "update", "delete", "remove"] as const) {
  Deno.test(`SourcesReady does not take a source for ready because of ${op} (SRC-24)`, () => {
    const storage = newStorage();
    const ready = new SourcesReady(["file"], storage);
    storage.merge(says(op, a));
    ready.add("file");
    strictEqual(ready.isReady("file"), false);
    strictEqual(ready.allReady(), false);
    storage.merge(says("set"));
    strictEqual(ready.allReady(), true);
  });
}

Deno.test("PodStorage lets no source wait for another, and housekeeping for all (SRC-24)", () => {
  const storage = newStorage();
  const ready = new SourcesReady(["file", "http", "api"], storage);
  storage.merge({
    op: "restore",
    source: "http",
    pods: [b],
    objects: [],
    workloads: [],
  });
  ready.add("http");
  deepStrictEqual(words(storage.merge(says("set", a))), ["add:a"]);
  ready.add("file");
  // A manifest that goes takes its pod along although two sources are silent.
  deepStrictEqual(words(storage.merge(says("set"))), ["remove:a"]);
  deepStrictEqual(storage.pods().map(nameOf), ["b"]);
  strictEqual(ready.isReady("file"), true);
  deepStrictEqual(ready.missing(), ["http", "api"]);
});

Deno.test("PodStorage keeps pods of one name from two sources, each until its own goes (SRC-10)", () => {
  const storage = newStorage();
  storage.merge(says("set", a));
  const other = sourcePod({ name: "a", uid: "other", image: "x" });
  deepStrictEqual(words(storage.merge(set("http", other))), ["add:a"]);
  deepStrictEqual(words(storage.merge(says("set"))), ["remove:a"]);
  deepStrictEqual(storage.pods().map(({ metadata }) => metadata.uid), [
    "other",
  ]);
  deepStrictEqual(words(storage.merge(set("http"))), ["remove:a"]);
});

Deno.test("PodStorage adds a manifest that comes back, with a fixed UID too (SRC-11, SRC-12)", () => {
  const storage = newStorage();
  storage.merge(says("set", a));
  const [first] = storage.pods();
  strictEqual(words(storage.merge(says("set"))).join(), "remove:a");
  strictEqual(words(storage.merge(says("set", a))).join(), "add:a");
  strictEqual(storage.pods()[0]?.metadata.uid, first?.metadata.uid);
});

Deno.test("PodStorage updates a pod with a fixed UID in place (SRC-30)", () => {
  const storage = newStorage();
  storage.merge(says("set", a));
  const annotated = sourcePod({
    name: "a",
    metadata: { annotations: { k: "v" } },
  });
  const more = sourcePod({ name: "a", image: "x" });
  for (const next of [annotated, more, a]) {
    deepStrictEqual(words(storage.merge(says("set", next))), ["update:a"]);
  }
});

Deno.test("PodStorage.merge() restores nothing once the source has spoken", () => {
  const storage = newStorage();
  storage.merge(says("set"));
  const update = says("restore", a);
  strictEqual(storage.isStale(update), true);
  deepStrictEqual(storage.merge(update), []);
  deepStrictEqual(storage.pods(), []);
  strictEqual(storage.isStale({ ...set("http"), op: "restore" }), false);
});
