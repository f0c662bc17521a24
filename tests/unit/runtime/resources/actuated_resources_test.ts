/**
 * What containers were given, over restarts of the agent.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { ActuatedStore } from "../../../../mod/runtime/resources/actuated_resources.ts";
import { RecordDisk } from "../../../support/record_disk.ts";
import { observed, seen } from "../../../support/observed_pods.ts";
import { container, pod } from "../../../support/pods.ts";

const UID = "4a6b6c1e-0000-4000-8000-000000000001";

/** Stores of one agent after another, over the same disk. */
class Disk extends RecordDisk {
  sessions = new Sessions();

  store(): ActuatedStore {
    const sessions = this.sessions = new Sessions();
    return new ActuatedStore({ records: this.records({ sessions }), sessions });
  }
}

function asking(cpu: string): Pod {
  const requests = { cpu };
  return pod({
    uid: UID,
    resources: { requests, limits: { cpu: "2" } },
    containers: [container("c", { resources: { requests } })],
  });
}

const SEEN = {
  ...observed([seen("c", { id: "c-0" }), seen("d")]),
  uid: UID,
};

Deno.test("ActuatedStore knows after a restart of the agent what pod and containers were given", async () => {
  const disk = new Disk();
  const first = disk.store();
  await first.sandboxMade(asking("100m"));
  await first.resized(asking("100m"), { name: "c", id: "c-0" }, {
    requests: { cpu: "300m" },
    limits: { memory: "64Mi" },
    fromRuntime: true,
  });
  await first.podResized(asking("300m"));
  const known = await first.complete(SEEN);
  strictEqual(known.qosClass, "Burstable");
  deepStrictEqual(known.podResources?.requests, { cpu: "300m" });
  deepStrictEqual(known.containers[0]?.resources, {
    requests: { cpu: "300m" },
    limits: { memory: "64Mi" },
    fromRuntime: true,
  });
  strictEqual(known.containers[1]?.resources, undefined);
  deepStrictEqual(await disk.store().complete(SEEN), known);
});

Deno.test("ActuatedStore says nothing of another container of the same name", async () => {
  const store = new Disk().store();
  await store.resized(asking("1"), { name: "c", id: "old" }, {
    requests: {},
    limits: {},
  });
  const { containers } = await store.complete(SEEN);
  strictEqual(containers[0]?.resources, undefined);
});

for (
  const resources of [
    [],
    null,
    "text",
    { qosClass: "Best", pod: 7, containers: [] },
    { containers: { c: 7 } },
    { containers: { c: { id: 7, resources: {} } } },
    { containers: { c: { id: "c-0" } } },
  ]
) {
  Deno.test(`ActuatedStore takes nothing from ${JSON.stringify(resources)}`, async () => {
    const disk = new Disk();
    disk.putRecord(UID, { resources });
    deepStrictEqual(await disk.store().complete(SEEN), SEEN);
  });
}

Deno.test("ActuatedStore leaves out amounts that are none", async () => {
  const disk = new Disk();
  const resources = {
    requests: { cpu: "100m", memory: "much", disk: 7, swap: "1e999999999" },
    limits: ["1"],
    fromRuntime: "yes",
  };
  disk.putRecord(UID, {
    resources: { containers: { c: { id: "c-0", resources } } },
  });
  const { containers } = await disk.store().complete(SEEN);
  deepStrictEqual(containers[0]?.resources, {
    requests: { cpu: "100m" },
    limits: {},
  });
});

Deno.test("ActuatedStore reads anew what was written of a pod whose session ended", async () => {
  const disk = new Disk();
  const store = disk.store();
  await store.sandboxMade(asking("100m"));
  disk.texts.clear();
  strictEqual((await store.complete(SEEN)).qosClass, "Burstable");
  disk.sessions.delete(UID);
  strictEqual((await store.complete(SEEN)).qosClass, undefined);
});

Deno.test("ActuatedStore keeps no pod from being looked at when its file cannot be read, and reads it later", async () => {
  const disk = new Disk();
  await disk.store().sandboxMade(asking("100m"));
  disk.failingReads = 1;
  const store = disk.store();
  deepStrictEqual(await store.complete(SEEN), SEEN);
  strictEqual((await store.complete(SEEN)).qosClass, "Burstable");
});

Deno.test("ActuatedStore writes nothing that has to survive a power cut", async () => {
  const disk = new Disk();
  await disk.store().sandboxMade(asking("100m"));
  deepStrictEqual(disk.writes, [false]);
});

Deno.test("ActuatedStore reads the file of a pod once", async () => {
  const disk = new Disk();
  await disk.store().sandboxMade(asking("100m"));
  const store = disk.store();
  const known = await store.complete(SEEN);
  disk.failingReads = Infinity;
  deepStrictEqual(await store.complete(SEEN), known);
  strictEqual(known.qosClass, "Burstable");
});

Deno.test("ActuatedStore completes what has as many containers as sandboxes", async () => {
  const store = new Disk().store();
  await store.sandboxMade(asking("100m"));
  const containers = SEEN.containers.slice(0, 1);
  const known = await store.complete({ ...SEEN, containers });
  strictEqual(known.qosClass, "Burstable");
  const nothing = { ...SEEN, containers: [], sandboxes: [] };
  strictEqual(await store.complete(nothing), nothing);
});

Deno.test("ActuatedStore does not let what it reads take the place of what is written meanwhile", async () => {
  const disk = new Disk();
  await disk.store().sandboxMade(asking("100m"));
  const store = disk.store();
  const reading = store.complete(SEEN);
  await store.sandboxMade(asking("300m"));
  for (const known of [await reading, await store.complete(SEEN)]) {
    deepStrictEqual(known.podResources?.requests, { cpu: "300m" });
  }
});
