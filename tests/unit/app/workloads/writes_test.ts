/** How often the disk is written while pods do what they should not. */

import { ok, strictEqual } from "node:assert/strict";
import type { PodStatus } from "../../../../mod/api/types/mod.ts";
import { formatTime } from "../../../../mod/pod/status/mod.ts";
import { CrashDisk } from "../../../support/local/crash_disk.ts";
import { seededRandom } from "../../../support/seeded_random.ts";
import { WorkloadsRig } from "../../../support/app/workloads_rig.ts";

const MINUTES = 10;

function manifest(kind: "Deployment" | "StatefulSet"): string {
  return `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  ${kind === "StatefulSet" ? "podManagementPolicy: Parallel" : ""}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: web}]}
`;
}

const JOB = `
apiVersion: batch/v1
kind: Job
metadata: {name: pi, namespace: shop}
spec:
  backoffLimit: 2147483647
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}
`;

function ready(rig: WorkloadsRig, isReady: boolean): PodStatus {
  const status = isReady ? "True" : "False";
  const lastTransitionTime = formatTime(rig.clock.now());
  return {
    phase: "Running",
    conditions: [{ type: "Ready", status, lastTransitionTime }],
  };
}

/** What is done to the disk in a minute, while something happens each second. */
async function written(
  rig: WorkloadsRig,
  happens: (second: number) => void,
): Promise<Readonly<Record<"append" | "sync" | "write", number>>> {
  const { length } = rig.disk.changes;
  for (let second = 0; second < MINUTES * 60; second++) {
    happens(second);
    await rig.clock.advance(1000);
  }
  const changes = rig.disk.changes.slice(length);
  const perMinute = (verb: string) =>
    changes.filter((each) => each.startsWith(verb)).length / MINUTES;
  return {
    append: perMinute("append"),
    sync: perMinute("sync"),
    write: perMinute("write"),
  };
}

for (const kind of ["Deployment", "StatefulSet"] as const) {
  Deno.test(`pods of a ${kind} that are ready every other second cost a write a second, and twelve syncs a minute`, async () => {
    await using rig = await new WorkloadsRig().start();
    rig.apply(manifest(kind));
    await rig.rest();
    strictEqual(rig.wanted.length, 3);
    const { append, sync, write } = await written(rig, (second) => {
      for (const pod of rig.wanted) {
        rig.report(pod, ready(rig, second % 2 === 0));
      }
    });
    ok(append > 1 && append <= 60, `${append} writes`);
    ok(sync <= 12, `${sync} syncs`);
    ok(write <= 1, `${write} files`);
  });
}

Deno.test("a Job that fails without end costs no more writes than it makes pods", async () => {
  await using rig = await new WorkloadsRig().start();
  rig.apply(JOB);
  await rig.rest();
  const { append, sync } = await written(rig, () => {
    for (const pod of rig.wanted) {
      if (rig.statuses.has(pod.metadata.uid)) continue;
      rig.report(pod, { phase: "Failed" });
    }
  });
  // 10 s, 20 s and so on to 6 min: a pod is made, has ended, is counted.
  const pods = rig.statuses.size;
  ok(pods >= 5 && pods <= 8, `${pods} pods`);
  ok(append * MINUTES <= 4 * pods, `${append} writes`);
  ok(sync * MINUTES <= 2 * pods, `${sync} syncs`);
});

Deno.test("a StatefulSet whose pods fail at once makes them less and less often, through a restart of the agent too", async () => {
  const fail = (rig: WorkloadsRig) => () => {
    for (const pod of rig.wanted) {
      if (rig.statuses.has(pod.metadata.uid)) continue;
      rig.report(pod, { phase: "Failed" });
    }
  };
  const disk = new CrashDisk(seededRandom(1));
  let made = 0;
  let writes = 0;
  let statuses = new Map<string, PodStatus>();
  for (let life = 1; life <= 2; life++) {
    await using rig = new WorkloadsRig(disk, life);
    rig.clock.wall = Date.UTC(2026, 0, 1, 0, life * MINUTES);
    for (const [uid, status] of statuses) rig.statuses.set(uid, status);
    await rig.start();
    rig.apply(manifest("StatefulSet"));
    const { append } = await written(rig, fail(rig));
    writes += append * MINUTES;
    made = rig.statuses.size;
    statuses = rig.statuses;
  }
  ok(made >= 30 && made <= 45, `${made} pods`);
  ok(writes <= 6 * made, `${writes} writes`);
});
