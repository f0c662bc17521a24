/**
 * What cannot change in a workload that exists, by TestValidateDeploymentUpdate,
 * TestValidateStatefulSetUpdate, TestValidateJobUpdate and their like of upstream.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../../mod/api/read/mod.ts";
import { immutableWorkloadChanges } from "../../../../mod/api/validate/mod.ts";
import type {
  WorkloadKind,
  WorkloadManifest,
} from "../../../../mod/api/workload/mod.ts";
import {
  type ManifestPatch,
  workloadJson,
} from "../../../support/api/workload_rows.ts";

function manifest(kind: WorkloadKind, patch: ManifestPatch): WorkloadManifest {
  const result = decodeManifest(workloadJson(kind, patch));
  ok(result.kind === "ok", JSON.stringify(result));
  const [workload] = result.workloads;
  ok(workload !== undefined);
  return workload;
}

interface UpdateRow {
  readonly kind: WorkloadKind;
  readonly what: string;
  readonly before?: ManifestPatch;
  readonly after: ManifestPatch;
  readonly hasStarted?: boolean;
  readonly fields: readonly string[];
}

const other = { matchLabels: { tier: "back" } };
const labels = { app: "web", tier: "back" };
const IMAGE = { containers: [{ name: "main", image: "web:2" }] };
const claims = (storage: string) => ({
  volumeClaimTemplates: [{
    metadata: { name: "data" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage } },
    },
  }],
});
const indexed = (completions: number, parallelism: number) => ({
  spec: { completionMode: "Indexed", completions, parallelism },
});

const ROWS: readonly UpdateRow[] = [
  {
    kind: "ReplicationController",
    what: "everything",
    after: {
      labels,
      pod: IMAGE,
      spec: { replicas: 3, selector: { tier: "back" } },
    },
    fields: [],
  },
  {
    kind: "CronJob",
    what: "everything",
    after: { spec: { schedule: "@daily", suspend: true } },
    fields: [],
  },
  ...(["ReplicaSet", "Deployment", "DaemonSet"] as const).flatMap((
    kind,
  ): readonly UpdateRow[] => [
    {
      kind,
      what: "all but its selector",
      after: { labels, pod: IMAGE, spec: { minReadySeconds: 5 } },
      fields: [],
    },
    {
      kind,
      what: "its selector",
      before: { labels },
      after: { labels, spec: { selector: other } },
      fields: [
        "spec.selector.matchLabels[app]",
        "spec.selector.matchLabels[tier]",
      ],
    },
  ]),
  {
    kind: "StatefulSet",
    what: "what it may",
    after: {
      labels,
      pod: IMAGE,
      spec: {
        minReadySeconds: 5,
        ordinals: { start: 1 },
        persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
        replicas: 3,
        revisionHistoryLimit: 1,
        updateStrategy: { type: "OnDelete" },
      },
    },
    fields: [],
  },
  {
    kind: "StatefulSet",
    what: "what it may not",
    before: { labels, spec: claims("1Gi") },
    after: {
      labels,
      spec: {
        ...claims("2Gi"),
        podManagementPolicy: "Parallel",
        selector: other,
        serviceName: "web",
      },
    },
    fields: [
      "spec.podManagementPolicy",
      "spec.selector.matchLabels[app]",
      "spec.selector.matchLabels[tier]",
      "spec.serviceName",
      "spec.volumeClaimTemplates[0].spec.resources.requests[storage]",
    ],
  },
  {
    kind: "Job",
    what: "what it may",
    after: {
      spec: {
        parallelism: 2,
        completions: 1,
        activeDeadlineSeconds: 5,
        backoffLimit: 1,
        suspend: true,
        ttlSecondsAfterFinished: 5,
      },
    },
    fields: [],
  },
  {
    kind: "Job",
    what: "its pods (immutable pod template)",
    after: { pod: IMAGE, labels },
    fields: [
      "spec.template.metadata.labels[tier]",
      "spec.template.spec.containers[0].image",
    ],
  },
  {
    kind: "Job",
    what: "how often it succeeds (immutable completions)",
    before: { spec: { completions: 1 } },
    after: { spec: { completions: 2 } },
    fields: ["spec.completions"],
  },
  {
    kind: "Job",
    what: "its mode and policies (immutable completion mode, policies)",
    after: {
      spec: {
        completionMode: "Indexed",
        completions: 1,
        backoffLimitPerIndex: 1,
        backoffLimit: 6,
        managedBy: "kubernetes.io/job-controller",
        podFailurePolicy: {
          rules: [{ action: "Ignore", onPodConditions: [{ type: "X" }] }],
        },
        successPolicy: { rules: [{ succeededCount: 1 }] },
      },
    },
    fields: [
      "spec.backoffLimitPerIndex",
      "spec.completionMode",
      "spec.managedBy",
      "spec.podFailurePolicy.rules",
      "spec.successPolicy.rules",
    ],
  },
  {
    kind: "Job",
    what: "its selector (immutable selector)",
    before: {
      labels,
      spec: { manualSelector: true, selector: { matchLabels: { app: "web" } } },
    },
    after: { labels, spec: { manualSelector: true, selector: other } },
    fields: [
      "spec.selector.matchLabels[app]",
      "spec.selector.matchLabels[tier]",
    ],
  },
  {
    kind: "Job",
    what: "its indexes with its pods (elastic indexed jobs)",
    before: indexed(2, 2),
    after: indexed(3, 3),
    fields: [],
  },
  {
    kind: "Job",
    what: "its indexes without its pods",
    before: indexed(2, 2),
    after: indexed(3, 2),
    fields: ["spec.completions"],
  },
  {
    kind: "Job",
    what: "its indexes to as many as its pods",
    before: indexed(2, 3),
    after: indexed(3, 3),
    fields: ["spec.completions"],
  },
  {
    kind: "Job",
    what: "where its pods run before there are any",
    before: { spec: { suspend: true } },
    after: {
      labels,
      pod: { nodeSelector: { a: "b" }, tolerations: [{ operator: "Exists" }] },
      spec: { suspend: true },
    },
    fields: [],
  },
  {
    kind: "Job",
    what: "where its pods run after there were some",
    before: { spec: { suspend: true } },
    after: { pod: { nodeSelector: { a: "b" } }, spec: { suspend: true } },
    hasStarted: true,
    fields: ["spec.template.spec.nodeSelector[a]"],
  },
  {
    kind: "Job",
    what: "where its pods run while it is not suspended",
    after: { pod: { nodeSelector: { a: "b" } } },
    fields: ["spec.template.spec.nodeSelector[a]"],
  },
  {
    kind: "Job",
    what: "its images before there are pods",
    before: { spec: { suspend: true } },
    after: { pod: IMAGE, spec: { suspend: true } },
    fields: ["spec.template.spec.containers[0].image"],
  },
];

for (const { kind, what, before, after, hasStarted, fields } of ROWS) {
  const verb = fields.length === 0 ? "takes" : "refuses";
  Deno.test(`immutableWorkloadChanges() ${verb} a ${kind} that changes ${what}`, () => {
    const found = immutableWorkloadChanges(
      manifest(kind, before ?? {}),
      manifest(kind, after),
      { hasStarted: hasStarted ?? false },
    );
    deepStrictEqual(found.map(({ field }) => field).sort(), fields);
  });
}

Deno.test("immutableWorkloadChanges() says what to do", () => {
  const [fault] = immutableWorkloadChanges(
    manifest("Deployment", { labels }),
    manifest("Deployment", { labels, spec: { selector: other } }),
    { hasStarted: true },
  );
  strictEqual(
    fault?.message,
    "Forbidden: cannot change in a Deployment that exists; give it another name, or remove it first",
  );
});
