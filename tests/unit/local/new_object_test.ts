/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { generatedName } from "../../../mod/local/new_object.ts";
import {
  CLAIM_KIND,
  LocalRig,
  plainWish,
  POD_KIND,
  podWish,
  SET_KIND,
} from "../../support/local/local_rig.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const JOB = { apiVersion: "batch/v1", kind: "Job" };

Deno.test("generatedName() takes every sign of upstream's alphabet, and no other", () => {
  const random = seededRandom(3);
  const seen = new Set<string>();
  for (let count = 0; count < 500; count++) {
    for (const sign of generatedName("", random)) seen.add(sign);
  }
  strictEqual([...seen].sort().join(""), "2456789bcdfghjklmnpqrstvwxz");
});

Deno.test("generatedName() cuts the prefix so that all fits a label", () => {
  const random = seededRandom(3);
  strictEqual(generatedName("a".repeat(58), random).length, 63);
  const cut = generatedName("a".repeat(70), random);
  strictEqual(cut.length, 63);
  strictEqual(cut.startsWith("a".repeat(58)), true);
});

Deno.test("a Pod gets its defaults, its node, and the phase Pending", async () => {
  const rig = new LocalRig({ nodeName: "edge-1" });
  const owner = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: "web",
    uid: "u1",
  };
  const metadata = { ownerReferences: [owner], finalizers: ["example.com/a"] };
  const pod = await rig.create(podWish("web", metadata));
  strictEqual(pod.spec?.["restartPolicy"], "Always");
  strictEqual(pod.spec?.["nodeName"], "edge-1");
  deepStrictEqual(pod.status, { phase: "Pending" });
  deepStrictEqual(pod.metadata.ownerReferences, [owner]);
  deepStrictEqual(pod.metadata.finalizers, ["example.com/a"]);
  strictEqual(pod.metadata.generation, 1);
});

Deno.test("a Pod keeps the node that it names, and gets none where there is none", async () => {
  const rig = new LocalRig({ nodeName: "edge-1" });
  const wish = podWish("web");
  const there = await rig.create({
    ...wish,
    ...{
      spec: { nodeName: "edge-2", containers: [{ name: "a", image: "b" }] },
    },
  });
  strictEqual(there.spec?.["nodeName"], "edge-2");
  const none = await new LocalRig().create(wish);
  strictEqual(none.spec?.["nodeName"], undefined);
});

const REFUSED: readonly (readonly [string, unknown, RegExp])[] = [
  ["no spec", undefined, /spec\.containers: Required value/],
  ["no containers", {}, /spec\.containers: Required value/],
  [
    "containers that are none",
    { containers: {} },
    /spec\.containers: Required/,
  ],
  [
    "a container without an image",
    { containers: [{ name: "app" }] },
    /^Pod "shop\/web" is invalid: spec\.containers\[0\]\.image: Required value$/,
  ],
];

for (const [words, spec, message] of REFUSED) {
  Deno.test(`a Pod with ${words} is refused`, async () => {
    const wish = { ...podWish("web"), spec };
    await rejects(new LocalRig().create(wish), { reason: "Invalid", message });
  });
}

Deno.test("an object is refused without a name, and without or with a namespace that it has not", async () => {
  const rig = new LocalRig();
  await rejects(rig.create(plainWish(SET_KIND, "")), {
    reason: "Invalid",
    message: 'ReplicaSet "shop/" is invalid: metadata.name: ' +
      "Required value: name or generateName is required",
  });
  await rejects(rig.create(plainWish(SET_KIND, "a", { namespace: "" })), {
    message: 'ReplicaSet "a" is invalid: metadata.namespace: Required value',
  });
});

Deno.test("a claim has no generation, and no status when it is made", async () => {
  const rig = new LocalRig();
  const wish = { ...plainWish(CLAIM_KIND, "data"), status: { phase: "Bound" } };
  const claim = await rig.create(wish);
  strictEqual("generation" in claim.metadata, false);
  strictEqual("status" in claim, false);
  const patch = { spec: { replicas: 2 } };
  const ref = { ...CLAIM_KIND, namespace: "shop", name: "data" };
  const after = await rig.store.patch(ref, patch, rig.signal);
  strictEqual("generation" in after.metadata, false);
});

Deno.test("a Job gets a selector that means its own pods only", async () => {
  const rig = new LocalRig();
  const job = await rig.create({
    ...plainWish(JOB, "pi"),
    ...{
      spec: { template: { metadata: { labels: { app: "pi" } }, spec: {} } },
    },
  });
  const { uid } = job.metadata;
  deepStrictEqual(job.spec, {
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
    template: {
      metadata: {
        labels: {
          app: "pi",
          "job-name": "pi",
          "batch.kubernetes.io/job-name": "pi",
          "controller-uid": uid,
          "batch.kubernetes.io/controller-uid": uid,
        },
      },
      spec: {},
    },
  });
});

Deno.test("a Job with a selector of its own keeps it, as do labels that are set", async () => {
  const rig = new LocalRig();
  const spec = {
    manualSelector: true,
    selector: { matchLabels: { app: "pi" } },
    template: { metadata: { labels: { app: "pi" } }, spec: {} },
  };
  const manual = await rig.create({ ...plainWish(JOB, "a"), spec });
  deepStrictEqual(manual.spec, spec);
  const labels = { "job-name": "other" };
  const named = await rig.create({
    ...plainWish(JOB, "b"),
    spec: { template: { metadata: { labels } } },
  });
  const { template } = named.spec ?? {};
  strictEqual(JSON.stringify(template).includes('"job-name":"other"'), true);
});

Deno.test("an object of no particular kind is taken as it is", async () => {
  const rig = new LocalRig();
  const set = await rig.create(plainWish(SET_KIND, "web"));
  deepStrictEqual(set.spec, { replicas: 1 });
  deepStrictEqual(await rig.names(POD_KIND), []);
});

Deno.test("the UIDs of objects are as random as UUIDs of version 4", async () => {
  const rig = new LocalRig();
  const seen = Array.from({ length: 36 }, () => new Set<string>());
  for (let count = 0; count < 400; count++) {
    const { metadata } = await rig.create(plainWish(SET_KIND, `set-${count}`));
    [...metadata.uid].forEach((sign, at) => seen[at]?.add(sign));
  }
  const hex = [..."0123456789abcdef"].join("");
  const wanted = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  [...wanted].forEach((sign, at) => {
    const signs = [...seen[at] ?? []].sort().join("");
    const expected = sign === "x" ? hex : sign === "y" ? "89ab" : sign;
    strictEqual(signs, expected, `sign ${at}`);
  });
});
