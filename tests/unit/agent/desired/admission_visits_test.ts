/**
 * What a review of admission costs while there is nothing to judge.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { PodAdmission } from "../../../../mod/agent/desired/pod_admission.ts";
import { Sessions } from "../../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import { StatusManager } from "../../../../mod/status/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { NO_OBJECTS } from "../../../support/no_objects.ts";
import { pod } from "../../../support/pods.ts";

Deno.test("PodAdmission.review() looks at no other pod while none waits to be taken or resized", () => {
  const clock = new FakeClock();
  const visits = { all: 0, resizes: 0 };
  let isResizing = false;
  const admission = new PodAdmission({
    clock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
    events: { record: () => {} },
    sessions: new Sessions(),
    statuses: new StatusManager({ clock, log: silentLogger }),
    objects: NO_OBJECTS,
    workers: { get: () => undefined, list: () => [], update: () => {} },
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
  deepStrictEqual(visits, { all: 0, resizes: 1_000 });
  isResizing = true;
  freed();
  deepStrictEqual(visits, { all: 1, resizes: 1_001 });
  isResizing = false;
  admission.want(pod());
  admission.review();
  deepStrictEqual(visits, { all: 2, resizes: 1_002 });
});
