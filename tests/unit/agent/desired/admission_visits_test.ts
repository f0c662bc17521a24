/**
 * What a review of admission costs while there is nothing to judge.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { PodAdmission } from "../../../../mod/agent/desired/pod_admission.ts";
import { Sessions } from "../../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import { StatusManager } from "../../../../mod/status/mod.ts";
import { parseQuantity } from "../../../../mod/api/objects/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { NO_OBJECTS } from "../../../support/no_objects.ts";
import type { WorkerView } from "../../../../mod/agent/workers/mod.ts";
import { workerView } from "../../../support/agent/worker_view.ts";
import { pod } from "../../../support/pods.ts";

Deno.test("PodAdmission.review() looks at no other pod while none waits to be taken or resized", () => {
  const clock = new FakeClock();
  const visits = { all: 0, resizes: 0, workers: 0 };
  const workers = new Map<string, WorkerView>();
  let isResizing = false;
  const admission = new PodAdmission({
    clock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
    events: { record: () => {} },
    sessions: new Sessions(),
    statuses: new StatusManager({ clock, log: silentLogger }),
    objects: NO_OBJECTS,
    workers: {
      get: (uid) => workers.get(uid),
      list: () => {
        visits.workers++;
        return [...workers.values()];
      },
      remove: () => {},
      update: (pod) => void workers.set(pod.metadata.uid, workerView(pod)),
    },
    resizes: {
      holding: (pod) => pod,
      retry: () => {
        visits.resizes++;
        return isResizing;
      },
    },
    node: () => ({
      name: "edge1",
      labels: {},
      allocatable: new Map(),
      allowedUnsafeSysctls: [],
    }),
    seen: {
      unclaimed: () => {
        visits.all++;
        return [];
      },
    },
    owns: () => false,
  });
  const freed = (): void => {
    admission.touch();
    admission.review();
  };
  for (let ends = 0; ends < 1_000; ends++) freed();
  deepStrictEqual(visits, { all: 0, resizes: 1_000, workers: 0 });
  isResizing = true;
  freed();
  deepStrictEqual(visits, { all: 1, resizes: 1_001, workers: 1 });
  isResizing = false;
  // A delivery of a thousand pods lists the workers once, not for each of them.
  for (let number = 0; number < 1_000; number++) {
    admission.want(pod({ uid: `u-${number}`, name: `pod-${number}` }));
  }
  admission.review();
  strictEqual(workers.size, 1_000);
  deepStrictEqual(visits, { all: 2, resizes: 1_002, workers: 2 });
});

for (
  const [what, names] of [
    ["pods wait", "waits"],
    ["wait for the place of one of them", "runs"],
  ] as const
) {
  Deno.test(`PodAdmission.review() looks at each pod that has its share a few times, however many ${what}`, () => {
    const clock = new FakeClock();
    let reads = 0;
    const counted = (it: Pod): Pod =>
      new Proxy(it, {
        get: (target, key) => {
          reads++;
          return Reflect.get(target, key);
        },
      });
    const onPort = (name: string, uid = `u-${name}`): Pod =>
      pod({
        uid,
        name,
        containers: [{
          name: "main",
          image: "busybox",
          ports: [{ containerPort: 80, hostPort: 8080, protocol: "TCP" }],
          resources: { requests: { cpu: "1m" } },
        }],
      });
    const workers = new Map<string, WorkerView>();
    for (let number = 0; number < 300; number++) {
      const holder = counted(onPort(`runs-${number}`));
      workers.set(`u-runs-${number}`, workerView(holder));
    }
    const statuses = new StatusManager({ clock, log: silentLogger });
    const admission = new PodAdmission({
      clock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
      events: { record: () => {} },
      sessions: new Sessions(),
      statuses,
      objects: NO_OBJECTS,
      workers: {
        get: (uid) => workers.get(uid),
        list: () => [...workers.values()],
        remove: () => {},
        update: () => {},
      },
      resizes: { holding: (pod) => pod, retry: () => false },
      node: () => ({
        name: "edge1",
        labels: {},
        allocatable: new Map([["cpu", parseQuantity("2")]]),
        allowedUnsafeSysctls: [],
      }),
      seen: { unclaimed: () => [] },
      owns: () => false,
    });
    for (let number = 0; number < 300; number++) {
      admission.want(onPort(`${names}-${number}`, `u-waits-${number}`));
    }
    admission.review();
    reads = 0;
    workers.delete("u-runs-0");
    admission.touch();
    admission.review();
    strictEqual(admission.pending().size, 300);
    ok(reads < 20 * 300, `${reads} reads`);
  });
}
