/**
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import type { ManifestObject } from "../../../mod/local/mod.ts";
import {
  LocalRig,
  plainWish,
  refOf,
  type Seen,
  SET_KIND,
} from "../../support/local/local_rig.ts";

const JOB_KIND = { apiVersion: "batch/v1", kind: "Job" };

function manifest(
  name: string,
  replicas = 1,
  metadata: Partial<ManifestObject["metadata"]> = {},
): ManifestObject {
  return {
    ...SET_KIND,
    metadata: { name, namespace: "shop", ...metadata },
    spec: { replicas },
  };
}

async function states(rig: LocalRig): Promise<readonly string[]> {
  const { items } = await rig.store.reader(SET_KIND).list({}, rig.signal);
  return items.map((each: Seen) =>
    `${each.metadata.name}=${each.spec?.["replicas"]}`
  );
}

Deno.test("replaceManifests() makes, changes and removes objects", async () => {
  const rig = new LocalRig();
  const read = await rig.watch(SET_KIND);
  rig.store.replaceManifests("file", [manifest("a"), manifest("b")]);
  rig.store.replaceManifests("file", [manifest("a", 2), manifest("c")]);
  rig.store.replaceManifests("file", [manifest("c"), manifest("a", 2)]);
  deepStrictEqual(await read(5), [
    "ADDED a@1",
    "ADDED b@2",
    "MODIFIED a@3",
    "DELETED b@4",
    "ADDED c@5",
  ]);
  deepStrictEqual(await states(rig), ["a=2", "c=1"]);
  const { resourceVersion } = await rig.store.reader(SET_KIND)
    .list({}, rig.signal);
  strictEqual(resourceVersion, "5");
});

Deno.test("an object keeps its UID and status while its manifest changes, and counts generations", async () => {
  const rig = new LocalRig();
  rig.store.replaceManifests("file", [manifest("a")]);
  const before = await rig.get(SET_KIND, "a");
  match(before.metadata.uid, /^[0-9a-f-]{36}$/);
  strictEqual(before.metadata.generation, 1);
  strictEqual(before.metadata.creationTimestamp, "2026-01-01T00:00:00Z");
  const wish = { ...before, status: { replicas: 1 } };
  await rig.store.updateStatus(wish, rig.signal);
  rig.store.replaceManifests("file", [manifest("a", 2)]);
  const after = await rig.get(SET_KIND, "a");
  strictEqual(after.metadata.uid, before.metadata.uid);
  strictEqual(after.metadata.generation, 2);
  deepStrictEqual(after.status, { replicas: 1 });
  rig.store.replaceManifests("file", [
    manifest("a", 2, { labels: { a: "b" } }),
  ]);
  const { metadata } = await rig.get(SET_KIND, "a");
  strictEqual(metadata.generation, 2);
  deepStrictEqual(metadata.labels, { a: "b" });
});

Deno.test("what others add to metadata stays, and what the manifest said goes with it", async () => {
  const rig = new LocalRig();
  const { store, signal } = rig;
  const give = (
    labels: Record<string, string>,
    annotations: Record<string, string>,
  ) => {
    store.replaceManifests("file", [manifest("a", 1, { labels, annotations })]);
  };
  give({ x: "1", y: "1" }, { note: "1" });
  const metadata = {
    labels: { own: "1", y: "9" },
    annotations: { revision: "1" },
  };
  await store.patch(refOf(SET_KIND, "a"), { metadata }, signal);
  give({ x: "2", z: "1" }, { note: "2" });
  const after = await rig.get(SET_KIND, "a");
  deepStrictEqual(after.metadata.labels, { own: "1", x: "2", z: "1" });
  deepStrictEqual(after.metadata.annotations, { revision: "1", note: "2" });
  give({}, {});
  const last = await rig.get(SET_KIND, "a");
  deepStrictEqual(last.metadata.labels, { own: "1" });
  deepStrictEqual(last.metadata.annotations, { revision: "1" });
  await store.patch(
    refOf(SET_KIND, "a"),
    { metadata: { labels: null } },
    signal,
  );
  store.replaceManifests("file", [manifest("a", 3)]);
  strictEqual("labels" in (await rig.get(SET_KIND, "a")).metadata, false);
});

Deno.test("what a client changes stays until the manifest says something else", async () => {
  const rig = new LocalRig();
  const give = (replicas: number) =>
    rig.store.replaceManifests("file", [manifest("a", replicas)]);
  give(1);
  await rig.store.patch(
    refOf(SET_KIND, "a"),
    { spec: { replicas: 7 } },
    rig.signal,
  );
  give(1);
  deepStrictEqual(await states(rig), ["a=7"]);
  give(2);
  deepStrictEqual(await states(rig), ["a=2"]);
});

Deno.test("what a client deletes does not come back before its manifest changes or goes", async () => {
  const rig = new LocalRig();
  const give = (...manifests: readonly ManifestObject[]) =>
    rig.store.replaceManifests("file", manifests);
  const remove = () => rig.store.delete(refOf(SET_KIND, "a"), {}, rig.signal);
  give(manifest("a"));
  await remove();
  deepStrictEqual(await states(rig), []);
  give(manifest("a"), manifest("b"));
  deepStrictEqual(await states(rig), ["b=1"]);
  give(manifest("a", 2), manifest("b"));
  deepStrictEqual(await states(rig), ["a=2", "b=1"]);
  await remove();
  give(manifest("b"));
  give(manifest("a", 2), manifest("b"));
  deepStrictEqual(await states(rig), ["a=2", "b=1"]);
});

Deno.test("a manifest that is as it was when its object was deleted, after another one, is followed", async () => {
  const rig = new LocalRig();
  const give = (replicas: number) =>
    rig.store.replaceManifests("file", [manifest("a", replicas)]);
  give(1);
  await rig.store.delete(refOf(SET_KIND, "a"), {}, rig.signal);
  give(2);
  give(1);
  deepStrictEqual(await states(rig), ["a=1"]);
});

Deno.test("a manifest that is back while its object goes makes a new one", async () => {
  const rig = new LocalRig();
  rig.store.replaceManifests("file", [manifest("a")]);
  const { metadata: { uid } } = await rig.get(SET_KIND, "a");
  const patch = (finalizers: readonly string[] | null) =>
    rig.store.patch(
      refOf(SET_KIND, "a"),
      { metadata: { finalizers } },
      rig.signal,
    );
  await patch(["example.com/a"]);
  const read = await rig.watch(SET_KIND, { resourceVersion: "2" });
  rig.store.replaceManifests("file", []);
  rig.store.replaceManifests("file", [manifest("a", 2)]);
  deepStrictEqual(await states(rig), ["a=1"]);
  await patch(null);
  deepStrictEqual(await read(3), ["MODIFIED a@3", "DELETED a@4", "ADDED a@5"]);
  const after = await rig.get(SET_KIND, "a");
  strictEqual(after.metadata.uid === uid, false);
  deepStrictEqual(await states(rig), ["a=2"]);
});

Deno.test("the source with the first name has the first say", async () => {
  const rig = new LocalRig({ sources: ["file", "url"] });
  const { store } = rig;
  store.replaceManifests("url", [manifest("a", 1), manifest("b", 1)]);
  const { metadata: { uid } } = await rig.get(SET_KIND, "a");
  store.replaceManifests("file", [manifest("a", 2)]);
  deepStrictEqual(await states(rig), ["a=2", "b=1"]);
  strictEqual((await rig.get(SET_KIND, "a")).metadata.uid, uid);
  store.replaceManifests("url", [manifest("a", 3)]);
  deepStrictEqual(await states(rig), ["a=2"]);
  store.replaceManifests("file", []);
  deepStrictEqual(await states(rig), ["a=3"]);
  store.replaceManifests("url", []);
  deepStrictEqual(await states(rig), []);
});

Deno.test("an object whose source changes and nothing else has the same content", async () => {
  const rig = new LocalRig();
  rig.store.replaceManifests("file", [manifest("a")]);
  rig.store.replaceManifests("url", [manifest("a")]);
  rig.store.replaceManifests("file", []);
  const after = await rig.get(SET_KIND, "a");
  strictEqual(after.metadata.generation, 1);
  rig.store.replaceManifests("url", []);
  deepStrictEqual(await states(rig), []);
});

for (const heard of ["part", "restored"] as const) {
  Deno.test(`a set that is ${heard} removes nothing`, async () => {
    const rig = new LocalRig();
    rig.store.replaceManifests("file", [manifest("a"), manifest("b")]);
    rig.store.replaceManifests("file", [manifest("a", 2)], heard);
    deepStrictEqual(await states(rig), ["a=2", "b=1"]);
    rig.store.replaceManifests("file", [manifest("a", 2)]);
    deepStrictEqual(await states(rig), ["a=2"]);
  });
}

Deno.test("of two manifests of one name the first counts", async () => {
  const rig = new LocalRig();
  rig.store.replaceManifests("file", [manifest("a", 1), manifest("a", 2)]);
  deepStrictEqual(await states(rig), ["a=1"]);
});

Deno.test("a manifest is the same as long as what is written in it is, whatever the defaults are", async () => {
  const rig = new LocalRig();
  const written = (replicas: number, hash: string) => ({
    ...manifest("a", replicas),
    writtenHash: hash,
  });
  const give = (replicas: number, hash: string) =>
    rig.store.replaceManifests("file", [written(replicas, hash)]);
  give(1, "first");
  strictEqual("writtenHash" in await rig.get(SET_KIND, "a"), false);
  give(2, "first");
  deepStrictEqual(await states(rig), ["a=1"]);
  give(2, "second");
  deepStrictEqual(await states(rig), ["a=2"]);
  // As a Job is removed that has ended: it must not run again.
  await rig.store.delete(refOf(SET_KIND, "a"), {}, rig.signal);
  give(3, "second");
  deepStrictEqual(await states(rig), []);
  give(3, "third");
  deepStrictEqual(await states(rig), ["a=3"]);
});

Deno.test("a manifest does not take the name of what a client made", async () => {
  const rig = new LocalRig();
  await rig.create(plainWish(SET_KIND, "a"));
  const refused = rig.store.replaceManifests("file", [
    manifest("a", 2),
    manifest("b"),
  ]);
  deepStrictEqual(
    refused.map(({ source, ref, failure }) =>
      `${source} ${ref.name} ${failure.reason} ${failure.message}`
    ),
    [
      'file a AlreadyExists Cannot take ReplicaSet "shop/a" from its manifest: ' +
      "there is one of that name that no manifest made",
    ],
  );
  deepStrictEqual(await states(rig), ["a=1", "b=1"]);
  await rig.store.delete(refOf(SET_KIND, "a"), {}, rig.signal);
  deepStrictEqual(await states(rig), ["a=2", "b=1"]);
  deepStrictEqual(rig.store.replaceManifests("url", []), []);
});

Deno.test("a manifest gets its name as soon as what a client made has ended", async () => {
  const rig = new LocalRig();
  const finalizers = ["example.com/a"];
  const before = await rig.create(plainWish(SET_KIND, "a", { finalizers }));
  const ref = refOf(SET_KIND, "a");
  await rig.store.delete(ref, { propagation: "Foreground" }, rig.signal);
  rig.store.replaceManifests("file", [manifest("a", 2)]);
  deepStrictEqual(rig.store.refused.map(({ failure }) => failure.reason), [
    "AlreadyExists",
  ]);
  const patch = { metadata: { finalizers: null } };
  await rig.store.patch(ref, patch, rig.signal);
  const { metadata, spec } = await rig.get(SET_KIND, "a");
  strictEqual(metadata.uid === before.metadata.uid, false);
  deepStrictEqual(spec, { replicas: 2 });
  deepStrictEqual(rig.store.refused, []);
});

Deno.test("a manifest of what is not kept is refused", () => {
  const rig = new LocalRig();
  const refused = rig.store.replaceManifests("file", [
    { ...manifest("a"), kind: "Widget" },
    { ...manifest("b"), kind: "Secret", apiVersion: "v1" },
  ]);
  deepStrictEqual(refused.map(({ failure }) => failure.message), [
    'This node keeps no Widget of version "apps/v1"',
    'This node keeps no Secret of version "v1"',
  ]);
  deepStrictEqual(rig.store.replaceManifests("file", []), []);
});

Deno.test("a Job of a manifest has a selector with its own UID, also after an edit", async () => {
  const rig = new LocalRig();
  const job = (parallelism: number) => ({
    ...JOB_KIND,
    metadata: { name: "pi", namespace: "shop" },
    spec: { parallelism, template: { spec: {} } },
  });
  rig.store.replaceManifests("file", [job(1)]);
  const before = await rig.get(JOB_KIND, "pi");
  rig.store.replaceManifests("file", [job(2)]);
  const after = await rig.get(JOB_KIND, "pi");
  strictEqual(after.spec?.["parallelism"], 2);
  deepStrictEqual(after.spec?.["selector"], {
    matchLabels: {
      "batch.kubernetes.io/controller-uid": before.metadata.uid,
    },
  });
  deepStrictEqual(after.spec?.["template"], before.spec?.["template"]);
});

Deno.test("a deletion that is refused dismisses no manifest", async () => {
  const rig = new LocalRig();
  rig.store.replaceManifests("file", [manifest("a")]);
  await rejects(
    rig.store.delete(refOf(SET_KIND, "a"), { uid: "other" }, rig.signal),
    { reason: "Conflict" },
  );
  rig.store.replaceManifests("file", []);
  rig.store.replaceManifests("file", [manifest("a")]);
  deepStrictEqual(await states(rig), ["a=1"]);
});
