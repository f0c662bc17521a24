/** An object as it is kept, and as it is found again. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { Journal } from "../../../mod/local/journal.ts";
import { openObject } from "../../../mod/local/stored_object.ts";
import { CrashDisk } from "../../support/local/crash_disk.ts";
import { startKept } from "../../support/local/kept_rig.ts";
import { plainWish, SET_KIND } from "../../support/local/local_rig.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { seededRandom } from "../../support/seeded_random.ts";

function revision(data: unknown) {
  const metadata = {
    name: "web-1",
    namespace: "shop",
    uid: "u",
    resourceVersion: "7",
  };
  const kind = { apiVersion: "apps/v1", kind: "ControllerRevision" };
  return { ...kind, metadata, ...{ data } };
}

const SHAPELESS: Readonly<Record<string, unknown>> = {
  "no data": undefined,
  "data that are a text": "spec",
  "no spec": {},
  "no template": { spec: { replicas: 1 } },
  "a template without a spec": { spec: { template: { metadata: {} } } },
  "a spec without containers": { spec: { template: { spec: {} } } },
  "containers that are no list": {
    spec: { template: { spec: { containers: "busybox" } } },
  },
};

for (const [what, data] of Object.entries(SHAPELESS)) {
  Deno.test(`openObject() leaves a revision as it is that has ${what}`, () => {
    const object = revision(data);
    const opened = openObject({ object, origin: { kind: "owned" } });
    deepStrictEqual(opened?.object, object);
  });
}

Deno.test("openObject() fills in the template of a revision and nothing beside it", () => {
  const containers = [{ name: "main", image: "busybox" }];
  const data = {
    note: 1,
    spec: { more: 2, template: { metadata: {}, spec: { containers } } },
  };
  const opened = openObject({
    object: revision(data),
    origin: { kind: "owned" },
  });
  const found = JSON.parse(JSON.stringify(opened?.object)).data;
  strictEqual(found.note, 1);
  strictEqual(found.spec.more, 2);
  deepStrictEqual(found.spec.template.metadata, {});
  strictEqual(found.spec.template.spec.dnsPolicy, "ClusterFirst");
  strictEqual(found.spec.template.spec.containers[0].image, "busybox");
});

Deno.test("versions are taken far above a single object beside which none are reserved", async () => {
  const disk = new CrashDisk(seededRandom(1));
  const deps = { clock: new FakeClock(), log: silentLogger };
  const journal = new Journal("/store", { disk, ...deps });
  await journal.load();
  const { metadata } = revision({});
  const object = { ...plainWish(SET_KIND, "web"), metadata };
  const kept = { object, origin: { kind: "owned" } };
  await journal.write(new Map(), {
    snapshot: () => [["object\nReplicaSet/shop/web-1", kept]],
    isLasting: true,
  });
  await using rig = await startKept(disk);
  deepStrictEqual(await rig.names(SET_KIND), ["web-1"]);
  const made = await rig.create(plainWish(SET_KIND, "new"));
  const version = Number(made.metadata.resourceVersion);
  strictEqual(version > 2 ** 32 && version < 2 ** 33, true, `${version}`);
});
