/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { DeleteOptions } from "../../../mod/api/access/mod.ts";
import {
  LocalRig,
  plainWish,
  POD_KIND,
  podWish,
  refOf,
  SET_KIND,
} from "../../support/local/local_rig.ts";

Deno.test("LocalStore.delete() removes at once what nothing holds", async () => {
  const rig = new LocalRig();
  await rig.create(plainWish(SET_KIND, "web"));
  await rig.store.delete(refOf(SET_KIND, "web"), {}, rig.signal);
  deepStrictEqual(await rig.names(SET_KIND), []);
});

Deno.test("LocalStore.delete() gives a Pod its time, and finishDelete() ends it", async () => {
  const rig = new LocalRig();
  const { metadata: { uid } } = await rig.create(podWish("web"));
  await rig.store.finishDelete(uid);
  await rig.store.delete(refOf(POD_KIND, "web"), {}, rig.signal);
  const { metadata } = await rig.get(POD_KIND, "web");
  strictEqual(metadata.deletionTimestamp, "2026-01-01T00:00:30Z");
  strictEqual(metadata.deletionGracePeriodSeconds, 30);
  strictEqual(metadata.generation, 2);
  await rig.store.finishDelete("other");
  deepStrictEqual(await rig.names(POD_KIND), ["web"]);
  await rig.store.finishDelete(uid);
  deepStrictEqual(await rig.names(POD_KIND), []);
});

const GRACE: readonly (readonly [string, DeleteOptions, string])[] = [
  ["is shortened", { gracePeriodSeconds: 10 }, "2026-01-01T00:00:10Z 10"],
  ["is not made longer", { gracePeriodSeconds: 60 }, "2026-01-01T00:00:30Z 30"],
  ["stays", {}, "2026-01-01T00:00:30Z 30"],
  ["is the shortest", { gracePeriodSeconds: -1 }, "2026-01-01T00:00:01Z 1"],
  ["is over", { gracePeriodSeconds: 0 }, "gone"],
];

for (const [words, options, wanted] of GRACE) {
  Deno.test(`the time of a Pod that is deleted twice ${words}`, async () => {
    const rig = new LocalRig();
    await rig.create(podWish("web"));
    await rig.store.delete(refOf(POD_KIND, "web"), {}, rig.signal);
    await rig.clock.advance(5000);
    await rig.store.delete(refOf(POD_KIND, "web"), options, rig.signal);
    const { items } = await rig.store.reader(POD_KIND).list({}, rig.signal);
    const [first] = items.map(({ metadata }) =>
      `${metadata.deletionTimestamp} ${metadata.deletionGracePeriodSeconds}`
    );
    strictEqual(first ?? "gone", wanted);
  });
}

for (const phase of ["Succeeded", "Failed"]) {
  Deno.test(`LocalStore.delete() waits for no Pod that is ${phase}`, async () => {
    const rig = new LocalRig();
    const pod = await rig.create(podWish("web"));
    const ended = { ...pod, status: { phase } };
    await rig.store.updateStatus(ended, rig.signal);
    await rig.store.delete(refOf(POD_KIND, "web"), {}, rig.signal);
    deepStrictEqual(await rig.names(POD_KIND), []);
  });
}

Deno.test("LocalStore keeps what has finalizers until the last is gone", async () => {
  const rig = new LocalRig();
  const finalizers = ["example.com/a", "example.com/b"];
  await rig.create(plainWish(SET_KIND, "web", { finalizers }));
  const read = await rig.watch(SET_KIND);
  await rig.store.delete(refOf(SET_KIND, "web"), {}, rig.signal);
  const { metadata } = await rig.get(SET_KIND, "web");
  strictEqual(metadata.deletionTimestamp, "2026-01-01T00:00:00Z");
  strictEqual(metadata.deletionGracePeriodSeconds, 0);
  const patch = (left: readonly string[] | null) =>
    rig.store.patch(
      refOf(SET_KIND, "web"),
      { metadata: { finalizers: left } },
      rig.signal,
    );
  await rejects(patch(["example.com/a", "example.com/c"]), {
    reason: "Invalid",
    message:
      /metadata\.finalizers: Forbidden: "example\.com\/c" cannot be added/,
  });
  await patch(["example.com/b"]);
  deepStrictEqual(await rig.names(SET_KIND), ["web"]);
  const last = await patch(null);
  strictEqual(last.metadata.finalizers, undefined);
  deepStrictEqual(await rig.names(SET_KIND), []);
  deepStrictEqual(await read(4), [
    "ADDED web@1",
    "MODIFIED web@2",
    "MODIFIED web@3",
    "DELETED web@4",
  ]);
});

Deno.test("a Pod that has ended stays for a finalizer, and its name with it", async () => {
  const rig = new LocalRig();
  const finalizers = ["batch.kubernetes.io/job-tracking"];
  const { metadata: { uid } } = await rig.create(
    podWish("web", { finalizers }),
  );
  await rig.store.delete(refOf(POD_KIND, "web"), {}, rig.signal);
  const patch = (left: readonly string[]) =>
    rig.store.patch(
      refOf(POD_KIND, "web"),
      { metadata: { finalizers: left } },
      rig.signal,
    );
  await rig.store.finishDelete(uid);
  const { metadata } = await rig.get(POD_KIND, "web");
  strictEqual(metadata.deletionGracePeriodSeconds, 0);
  strictEqual(metadata.deletionTimestamp, "2026-01-01T00:00:00Z");
  await patch([]);
  deepStrictEqual(await rig.names(POD_KIND), []);
});

Deno.test("a Pod without finalizers stays until it has ended", async () => {
  const rig = new LocalRig();
  const finalizers = ["batch.kubernetes.io/job-tracking"];
  const { metadata: { uid } } = await rig.create(
    podWish("web", { finalizers }),
  );
  await rig.store.delete(refOf(POD_KIND, "web"), {}, rig.signal);
  await rig.store.patch(
    refOf(POD_KIND, "web"),
    { metadata: { finalizers: null } },
    rig.signal,
  );
  deepStrictEqual(await rig.names(POD_KIND), ["web"]);
  await rig.store.finishDelete(uid);
  deepStrictEqual(await rig.names(POD_KIND), []);
});

const PROPAGATION: readonly (readonly [DeleteOptions, readonly string[]])[] = [
  [{ propagation: "Foreground" }, ["example.com/a", "foregroundDeletion"]],
  [{ propagation: "Orphan" }, ["example.com/a", "orphan"]],
  [{ propagation: "Background" }, ["example.com/a"]],
  [{}, ["example.com/a", "orphan"]],
];

for (const [options, wanted] of PROPAGATION) {
  Deno.test(`LocalStore.delete() with ${JSON.stringify(options)} leaves ${wanted}`, async () => {
    const rig = new LocalRig();
    const finalizers = ["example.com/a", "orphan"];
    await rig.create(plainWish(SET_KIND, "web", { finalizers }));
    await rig.store.delete(refOf(SET_KIND, "web"), options, rig.signal);
    const { metadata } = await rig.get(SET_KIND, "web");
    deepStrictEqual(metadata.finalizers, wanted);
  });
}

Deno.test("a second deletion of what waits for finalizers changes nothing", async () => {
  const rig = new LocalRig();
  const finalizers = ["example.com/a"];
  await rig.create(plainWish(SET_KIND, "web", { finalizers }));
  const remove = () => rig.store.delete(refOf(SET_KIND, "web"), {}, rig.signal);
  await remove();
  const before = await rig.get(SET_KIND, "web");
  await rig.clock.advance(5000);
  await remove();
  deepStrictEqual(await rig.get(SET_KIND, "web"), before);
});
