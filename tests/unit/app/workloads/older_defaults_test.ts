/** An agent with more defaults than the one before it changes nothing that runs. */

import { deepStrictEqual, notDeepStrictEqual } from "node:assert/strict";
import { WorkloadsRig } from "../../../support/app/workloads_rig.ts";
import { diskWithout } from "../../../support/local/older_disk.ts";

/** Fields that agents once did not fill in, at some places of what they kept. */
const YOUNG = [
  "dnsPolicy",
  "enableServiceLinks",
  "podReplacementPolicy",
  "progressDeadlineSeconds",
  "revisionHistoryLimit",
  "terminationMessagePolicy",
  "volumeMode",
];

const KINDS = [
  { apiVersion: "v1", kind: "ReplicationController" },
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "ReplicaSet" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
  { apiVersion: "apps/v1", kind: "DaemonSet" },
  { apiVersion: "apps/v1", kind: "ControllerRevision" },
  { apiVersion: "batch/v1", kind: "Job" },
  { apiVersion: "batch/v1", kind: "CronJob" },
  { apiVersion: "v1", kind: "Pod" },
];

function manifests({ replicas = 1 } = {}): string {
  const template = (app: string) =>
    `template: {metadata: {labels: {app: ${app}}}, ` +
    `spec: {containers: [{name: main, image: busybox}]}}`;
  const lasting = (kind: string, more = "") =>
    `apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${kind.toLowerCase()}}
spec:
  selector: {matchLabels: {app: ${kind}}}
  ${more}
  ${template(kind)}
`;
  const job = `
      template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}`;
  return [
    lasting("Deployment", `replicas: ${replicas}`),
    lasting("DaemonSet"),
    lasting(
      "StatefulSet",
      "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: " +
        "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]",
    ),
    `apiVersion: v1
kind: ReplicationController
metadata: {name: rc}
spec:
  ${template("rc")}
`,
    `apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
      parallelism: ${replicas}${job}
`,
    `apiVersion: batch/v1
kind: CronJob
metadata: {name: cron}
spec:
  schedule: "0 0 1 1 *"
  jobTemplate:
    spec:${job}
`,
  ].join("---\n");
}

/** Every object by its name, with its UID and the number of its edits. */
async function names(rig: WorkloadsRig): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of KINDS) {
    for (const { metadata } of await rig.all(kind)) {
      const { name, uid, generation } = metadata;
      found.push(`${kind.kind}/${name} ${uid} ${generation}`);
    }
  }
  return found;
}

/** An agent that lets its pods run, and another one after it, on the disk of an older one. */
async function upgraded(
  next: (rig: WorkloadsRig) => Promise<void>,
): Promise<readonly (readonly string[])[]> {
  let before: readonly string[] = [];
  const first = new WorkloadsRig();
  {
    await using rig = await first.start();
    rig.apply(manifests());
    await rig.rest();
    before = await names(rig);
  }
  await using rig = new WorkloadsRig(await diskWithout(first.disk, YOUNG), 2);
  rig.apply(manifests());
  await rig.start();
  for (const pod of rig.wanted) rig.report(pod, { phase: "Running" });
  await next(rig);
  await rig.rest(60);
  deepStrictEqual(rig.told.filter((line) => line.startsWith("Warning")), []);
  return [before, await names(rig)];
}

Deno.test("an agent with more defaults than the last one rolls no workload and counts no edit", async () => {
  const [before = [], after] = await upgraded((rig) => {
    // Also what runs is as if this agent had made it.
    const policies = rig.wanted.flatMap(({ spec }) => spec.containers)
      .map(({ terminationMessagePolicy }) => terminationMessagePolicy);
    deepStrictEqual([...new Set(policies)], ["File"]);
    return Promise.resolve();
  });
  deepStrictEqual(
    KINDS.filter(({ kind }) =>
      !before.some((each) => each.startsWith(`${kind}/`))
    ),
    [],
  );
  deepStrictEqual(after, before);
});

Deno.test("an edit of something else after such an upgrade rolls no workload", async () => {
  const [before = [], after = []] = await upgraded((rig) => {
    rig.apply(manifests({ replicas: 2 }));
    return Promise.resolve();
  });
  notDeepStrictEqual(after, before);
  const withoutEdits = (of: readonly string[]) =>
    of.map((each) => each.slice(0, each.lastIndexOf(" ")));
  // One more pod of the Deployment and of the Job, and nothing else.
  const more = withoutEdits(after)
    .filter((each) => !withoutEdits(before).includes(each));
  deepStrictEqual(more.map((each) => each.replace(/-.*/, "")), [
    "Pod/deployment",
    "Pod/job",
  ]);
  deepStrictEqual(after.length, before.length + 2);
});
