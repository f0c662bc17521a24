/**
 * @module
 */

import {
  deepStrictEqual,
  match,
  notStrictEqual,
  rejects,
  strictEqual,
} from "node:assert/strict";
import {
  LocalRig,
  plainWish,
  POD_KIND,
  podWish,
  refOf,
  SET_KIND,
} from "../../support/local/local_rig.ts";

Deno.test("LocalStore.create() gives an object its UID, time, version and generation", async () => {
  const rig = new LocalRig();
  const web = await rig.create(plainWish(SET_KIND, "web", {
    labels: { app: "web" },
    uid: "mine",
    resourceVersion: "99",
    generation: 7,
    creationTimestamp: "2000-01-01T00:00:00Z",
    deletionTimestamp: "2000-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 1,
  }));
  const { uid, ...rest } = web.metadata;
  match(
    uid,
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  deepStrictEqual(rest, {
    name: "web",
    namespace: "shop",
    labels: { app: "web" },
    creationTimestamp: "2026-01-01T00:00:00Z",
    generation: 1,
    resourceVersion: "1",
  });
  deepStrictEqual(await rig.get(SET_KIND, "web"), web);
});

Deno.test("LocalStore gives every change a version above all before", async () => {
  const rig = new LocalRig();
  const a = await rig.create(plainWish(SET_KIND, "a"));
  const pod = await rig.create(podWish("p"));
  notStrictEqual(a.metadata.uid, pod.metadata.uid);
  const wish = { ...a, status: { replicas: 2 } };
  const seen = await rig.store.updateStatus(wish, rig.signal);
  strictEqual(seen.metadata.resourceVersion, "3");
  await rig.store.delete(refOf(SET_KIND, "a"), {}, rig.signal);
  const { resourceVersion } = await rig.store.reader(POD_KIND).list(
    {},
    rig.signal,
  );
  strictEqual(resourceVersion, "4");
});

Deno.test("LocalStore.create() refuses a name that is taken, also by what is being deleted", async () => {
  const rig = new LocalRig();
  await rig.create(podWish("web"));
  await rejects(rig.create(podWish("web")), {
    reason: "AlreadyExists",
    message: 'Pod "shop/web" is there already',
  });
  await rig.store.delete(refOf(POD_KIND, "web"), {}, rig.signal);
  await rejects(rig.create(podWish("web")), { reason: "AlreadyExists" });
});

Deno.test("LocalStore.create() takes another generated name when one is taken", async () => {
  const rig = new LocalRig();
  const taken = new Set<string>();
  for (let count = 0; count < 300; count++) {
    const { metadata } = await rig.create(
      plainWish(SET_KIND, "", { generateName: "web-" }),
    );
    match(metadata.name, /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    taken.add(metadata.name);
  }
  strictEqual(taken.size, 300);
});

Deno.test("LocalStore.create() tries eight generated names and then says that one is taken", async () => {
  let asked = 0;
  const next = () => {
    asked++;
    return 0;
  };
  const store = new LocalRig({ random: { next } });
  await store.create(plainWish(SET_KIND, "", { generateName: "web-" }));
  // Five signs of a name and 31 of a UID.
  strictEqual(asked, 36);
  await rejects(
    store.create(plainWish(SET_KIND, "", { generateName: "web-" })),
    { reason: "AlreadyExists", message: /"shop\/web-bbbbb"/ },
  );
  strictEqual(asked, 36 + 8 * 5 + 31);
});

Deno.test("LocalStore refuses what it does not keep", async () => {
  const rig = new LocalRig();
  const ref = { ...refOf(POD_KIND, "web"), apiVersion: "v2" };
  await rejects(rig.store.get(ref, rig.signal), {
    reason: "NotFound",
    message: 'This node keeps no Pod objects of version "v2"',
  });
  const secret = { apiVersion: "v1", kind: "Secret" };
  await rejects(rig.create(plainWish(secret, "login")), {
    reason: "MethodNotAllowed",
    message: "Cannot change a Secret: it is kept in manifests only",
  });
  await rejects(rig.store.get(refOf(POD_KIND, "web"), rig.signal), {
    reason: "NotFound",
    message: 'Pod "shop/web" is not there',
  });
});

Deno.test("LocalStore.update() takes metadata and spec, and no status nor what is its own", async () => {
  const rig = new LocalRig();
  const before = await rig.create(plainWish(SET_KIND, "web"));
  const wish = {
    ...before,
    metadata: {
      ...before.metadata,
      labels: { a: "b" },
      generation: 9,
      creationTimestamp: "2000-01-01T00:00:00Z",
      deletionTimestamp: "2000-01-01T00:00:00Z",
    },
    spec: { replicas: 5 },
    status: { replicas: 9 },
  };
  const after = await rig.store.update(wish, rig.signal);
  deepStrictEqual(after, {
    ...before,
    metadata: {
      ...before.metadata,
      labels: { a: "b" },
      generation: 2,
      resourceVersion: "2",
    },
    spec: { replicas: 5 },
  });
});

Deno.test("LocalStore.update() counts no generation for metadata, and no version for nothing", async () => {
  const rig = new LocalRig();
  const before = await rig.create(plainWish(SET_KIND, "web"));
  strictEqual(await rig.store.update(before, rig.signal), before);
  const silent = { ...before, spec: { replicas: 1, paused: undefined } };
  strictEqual(await rig.store.update(silent, rig.signal), before);
  const metadata = { ...before.metadata, annotations: { a: "b" } };
  const after = await rig.store.update({ ...before, metadata }, rig.signal);
  strictEqual(after.metadata.generation, 1);
  strictEqual(after.metadata.resourceVersion, "2");
});

Deno.test("LocalStore refuses what was made for another version or object", async () => {
  const rig = new LocalRig();
  const before = await rig.create(plainWish(SET_KIND, "web"));
  const { store, signal } = rig;
  await store.patch(
    refOf(SET_KIND, "web"),
    { spec: { replicas: 2 } },
    signal,
  );
  await rejects(store.update(before, signal), {
    reason: "Conflict",
    message: /is at version "2", wanted "1"/,
  });
  await rejects(store.updateStatus(before, signal), { reason: "Conflict" });
  const { resourceVersion: _, ...metadata } = before.metadata;
  await store.update({ ...before, metadata }, signal);
  const other = { ...before, metadata: { ...metadata, uid: "other" } };
  await rejects(store.update(other, signal), {
    reason: "Conflict",
    message: /its UID is ".*", wanted "other"/,
  });
  const ref = { ...refOf(SET_KIND, "web"), uid: "other" };
  await rejects(store.patch(ref, {}, signal), { reason: "Conflict" });
  await rejects(store.delete(ref, { uid: "other" }, signal), {
    reason: "Conflict",
  });
});

Deno.test("LocalStore.patch() merges all but the status", async () => {
  const rig = new LocalRig();
  const before = await rig.create(
    plainWish(SET_KIND, "web", { labels: { a: "1", b: "2" } }),
  );
  const after = await rig.store.patch(
    { ...refOf(SET_KIND, "web"), uid: before.metadata.uid },
    {
      metadata: { labels: { a: null, c: "3" }, uid: before.metadata.uid },
      spec: { replicas: 4 },
      status: { replicas: 4 },
    },
    rig.signal,
  );
  deepStrictEqual(after, {
    ...before,
    metadata: {
      ...before.metadata,
      labels: { b: "2", c: "3" },
      generation: 2,
      resourceVersion: "2",
    },
    spec: { replicas: 4 },
  });
});

Deno.test("LocalStore.patch() refuses a patch for another version, and one that takes the name", async () => {
  const rig = new LocalRig();
  await rig.create(plainWish(SET_KIND, "web"));
  const patch = (change: Readonly<Record<string, unknown>>) =>
    rig.store.patch(refOf(SET_KIND, "web"), change, rig.signal);
  await rejects(patch({ metadata: { resourceVersion: "7" } }), {
    reason: "Conflict",
  });
  await rejects(patch({ metadata: null }), { reason: "Invalid" });
  await patch({ metadata: { resourceVersion: "1", name: "other" } });
  deepStrictEqual(await rig.names(SET_KIND), ["web"]);
});

Deno.test("LocalStore.updateStatus() takes nothing but the status", async () => {
  const rig = new LocalRig();
  const before = await rig.create(podWish("web"));
  deepStrictEqual(before.status, { phase: "Pending" });
  const wish = {
    ...before,
    metadata: { ...before.metadata, labels: { a: "b" } },
    spec: {},
    status: { phase: "Running" },
  };
  const after = await rig.store.updateStatus(wish, rig.signal);
  deepStrictEqual(after, {
    ...before,
    metadata: { ...before.metadata, resourceVersion: "2" },
    status: { phase: "Running" },
  });
  strictEqual(await rig.store.updateStatus(after, rig.signal), after);
});

Deno.test("LocalStore refuses an edit of a Pod that no Pod survives", async () => {
  const rig = new LocalRig();
  await rig.create(podWish("web"));
  const patch = (spec: Readonly<Record<string, unknown>>) =>
    rig.store.patch(refOf(POD_KIND, "web"), { spec }, rig.signal);
  await rejects(patch({ hostPID: true }), {
    reason: "Invalid",
    message: /^Pod "shop\/web" is invalid: spec\.hostPID: Forbidden/,
  });
  await rejects(patch({ containers: null }), {
    reason: "Invalid",
    message: /spec\.containers: Required value/,
  });
  await patch({ terminationGracePeriodSeconds: 5 });
});

Deno.test("LocalStore does nothing for a signal that has aborted", async () => {
  const rig = new LocalRig();
  const signal = AbortSignal.abort(new Error("over"));
  const ref = refOf(POD_KIND, "web");
  const { store } = rig;
  const pod = await rig.create(podWish("web"));
  for (
    const call of [
      store.get(ref, signal),
      store.create(podWish("db"), signal),
      store.update(pod, signal),
      store.updateStatus(pod, signal),
      store.patch(ref, {}, signal),
      store.delete(ref, {}, signal),
      store.reader(POD_KIND).list({}, signal),
      store.reader(POD_KIND).watch({}, signal),
    ]
  ) await rejects(call, { message: "over" });
  deepStrictEqual(await rig.names(POD_KIND), ["web"]);
});
