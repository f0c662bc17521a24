/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  LocalRig,
  plainWish,
  refOf,
  SET_KIND,
} from "../../support/local/local_rig.ts";

const apps = (kind: string) => ({ apiVersion: "apps/v1", kind });
const JOB_KIND = { apiVersion: "batch/v1", kind: "Job" };

const FIXED: readonly (readonly [string, object, RegExp])[] = [
  ["ReplicaSet", { selector: { matchLabels: { a: "2" } } }, /spec\.selector/],
  ["Deployment", { selector: { matchLabels: { a: "2" } } }, /spec\.selector/],
  ["StatefulSet", { serviceName: "other" }, /spec\.serviceName/],
];

for (const [kind, change, message] of FIXED) {
  Deno.test(`a ${kind} refuses ${JSON.stringify(change)}`, async () => {
    const rig = new LocalRig();
    const spec = { replicas: 1, selector: { matchLabels: { a: "1" } } };
    await rig.create({ ...plainWish(apps(kind), "web"), spec });
    const patch = (spec: unknown) =>
      rig.store.patch(refOf(apps(kind), "web"), { spec }, rig.signal);
    await rejects(patch(change), { reason: "Invalid", message });
    await rejects(patch(null), { message: /spec: Required value/ });
    await patch({ replicas: 2 });
  });
}

Deno.test("a ControllerRevision keeps its data", async () => {
  const rig = new LocalRig();
  const kind = apps("ControllerRevision");
  const wish = { ...plainWish(kind, "web-1"), data: { a: 1 }, revision: 1 };
  await rig.create(wish);
  const patch = (change: Readonly<Record<string, unknown>>) =>
    rig.store.patch(refOf(kind, "web-1"), change, rig.signal);
  await rejects(patch({ data: { a: 2 } }), {
    message: 'ControllerRevision "shop/web-1" is invalid: data: Forbidden: ' +
      "cannot change in a ControllerRevision",
  });
  const after = await patch({ revision: 2 });
  strictEqual("revision" in after && after.revision, 2);
});

Deno.test("a Job that is suspended may go elsewhere until it has started", async () => {
  const rig = new LocalRig();
  const spec = {
    suspend: true,
    completions: 1,
    template: { spec: { nodeSelector: { disk: "ssd" } } },
  };
  const job = await rig.create({ ...plainWish(JOB_KIND, "pi"), spec });
  const move = (disk: string) => {
    const template = { spec: { nodeSelector: { disk } } };
    const patch = { spec: { template } };
    return rig.store.patch(refOf(JOB_KIND, "pi"), patch, rig.signal);
  };
  const moved = await move("hdd");
  await rig.restate(moved, { startTime: "2026-01-01T00:00:00Z" });
  await rejects(move("tape"), {
    message: /spec\.template\.spec\.nodeSelector/,
  });
  strictEqual(job.metadata.generation, 1);
});

Deno.test("a manifest that changes what cannot change is refused, and its object stays as it was", async () => {
  const rig = new LocalRig();
  const give = (a: string, replicas: number) =>
    rig.store.replaceManifests("file", [{
      ...SET_KIND,
      metadata: { name: "web", namespace: "shop" },
      spec: { replicas, selector: { matchLabels: { a } } },
    }]);
  deepStrictEqual(give("1", 1), []);
  const before = await rig.get(SET_KIND, "web");
  for (let times = 0; times < 2; times++) {
    const [refused] = give("2", 5);
    strictEqual(refused?.source, "file");
    strictEqual(refused.failure.reason, "Invalid");
    deepStrictEqual(await rig.get(SET_KIND, "web"), before);
  }
  deepStrictEqual(give("1", 3), []);
  const after = await rig.get(SET_KIND, "web");
  strictEqual(after.spec?.["replicas"], 3);
});
