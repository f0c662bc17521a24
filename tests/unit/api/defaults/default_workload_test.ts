/**
 * What is filled in where a workload is silent, by TestSetDefaultDeployment,
 * TestSetDefaultDaemonSetSpec, TestSetDefaultStatefulSet, TestSetDefaultReplicaSetReplicas,
 * TestSetDefaultReplicationController, TestSetDefaultJob and TestSetDefaultCronJob of
 * upstream.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  applyWorkloadDefaults,
  type WrittenWorkload,
} from "../../../../mod/api/defaults/mod.ts";

type WrittenOf<Kind extends WrittenWorkload["kind"]> = Extract<
  WrittenWorkload,
  { readonly kind: Kind }
>;

/** The spec with its defaults, without the pods. */
function specOf(written: WrittenWorkload): Readonly<Record<string, unknown>> {
  const { spec } = applyWorkloadDefaults(written);
  const { template: _, ...rest } = { template: undefined, ...spec };
  return rest;
}

const deployment = (spec: WrittenOf<"Deployment">["spec"]) =>
  specOf({ kind: "Deployment", spec: { ...spec } });

Deno.test("applyWorkloadDefaults() fills a Deployment", () => {
  deepStrictEqual(deployment({}), {
    replicas: 1,
    selector: {},
    strategy: {
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" },
    },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
});

Deno.test("applyWorkloadDefaults() leaves a Deployment what it says", () => {
  const spec = {
    replicas: 0,
    selector: { matchLabels: { a: "b" } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0 } },
    revisionHistoryLimit: 0,
    progressDeadlineSeconds: 5,
    paused: true,
  };
  deepStrictEqual(deployment(spec), {
    ...spec,
    strategy: {
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: 0, maxUnavailable: "25%" },
    },
  });
  deepStrictEqual(
    deployment({ strategy: { type: "Recreate" } })["strategy"],
    { type: "Recreate" },
  );
});

for (const kind of ["ReplicaSet", "ReplicationController"] as const) {
  Deno.test(`applyWorkloadDefaults() fills a ${kind}`, () => {
    deepStrictEqual(specOf({ kind }), { replicas: 1, selector: {} });
    deepStrictEqual(
      specOf({ kind, spec: { replicas: 0 } }),
      { replicas: 0, selector: {} },
    );
  });
}

Deno.test("applyWorkloadDefaults() fills a DaemonSet", () => {
  deepStrictEqual(specOf({ kind: "DaemonSet" }), {
    selector: {},
    updateStrategy: {
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
    },
    revisionHistoryLimit: 10,
  });
  const updateStrategy = {
    type: "RollingUpdate",
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
  };
  const spec = { selector: {}, updateStrategy, revisionHistoryLimit: 0 };
  deepStrictEqual(specOf({ kind: "DaemonSet", spec }), spec);
  deepStrictEqual(
    specOf({
      kind: "DaemonSet",
      spec: { updateStrategy: { type: "OnDelete" } },
    })["updateStrategy"],
    { type: "OnDelete" },
  );
});

Deno.test("applyWorkloadDefaults() fills a StatefulSet and its claims", () => {
  deepStrictEqual(
    specOf({
      kind: "StatefulSet",
      spec: {
        volumeClaimTemplates: [
          { metadata: { name: "data" }, spec: { accessModes: [] } },
          { spec: { volumeMode: "Block" } },
          {},
        ],
      },
    }),
    {
      replicas: 1,
      selector: {},
      podManagementPolicy: "OrderedReady",
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: { partition: 0 },
      },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: "Retain",
        whenScaled: "Retain",
      },
      volumeClaimTemplates: [
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { name: "data" },
          spec: { accessModes: [], volumeMode: "Filesystem" },
        },
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          spec: { volumeMode: "Block" },
        },
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          spec: { volumeMode: "Filesystem" },
        },
      ],
    },
  );
});

Deno.test("applyWorkloadDefaults() leaves a StatefulSet what it says", () => {
  const spec = {
    replicas: 0,
    selector: {},
    podManagementPolicy: "Parallel",
    updateStrategy: {
      type: "RollingUpdate",
      rollingUpdate: { partition: 2, maxUnavailable: 2 },
    },
    revisionHistoryLimit: 0,
    persistentVolumeClaimRetentionPolicy: {
      whenDeleted: "Delete",
      whenScaled: "Delete",
    },
  };
  deepStrictEqual(specOf({ kind: "StatefulSet", spec }), spec);
  deepStrictEqual(
    specOf({
      kind: "StatefulSet",
      spec: { updateStrategy: { type: "OnDelete" } },
    })["updateStrategy"],
    { type: "OnDelete" },
  );
});

const job = (spec: WrittenOf<"Job">["spec"]) =>
  specOf({ kind: "Job", spec: { ...spec } });

const JOB = {
  parallelism: 1,
  backoffLimit: 6,
  completionMode: "NonIndexed",
  suspend: false,
  podReplacementPolicy: "TerminatingOrFailed",
};

for (
  const [what, spec, filled] of [
    [
      "both unspecified -> sets both to 1",
      {},
      { ...JOB, completions: 1 },
    ],
    ["WQ: Parallelism explicitly 0", { parallelism: 0 }, {
      ...JOB,
      parallelism: 0,
    }],
    ["WQ: Parallelism explicitly 2", { parallelism: 2 }, {
      ...JOB,
      parallelism: 2,
    }],
    ["Completions explicitly 2", { completions: 2 }, {
      ...JOB,
      completions: 2,
    }],
    ["BackoffLimit explicitly 0", { backoffLimit: 0, completions: 1 }, {
      ...JOB,
      backoffLimit: 0,
      completions: 1,
    }],
    ["BackoffLimitPerIndex set", { backoffLimitPerIndex: 1, completions: 1 }, {
      ...JOB,
      backoffLimit: 2_147_483_647,
      backoffLimitPerIndex: 1,
      completions: 1,
    }],
    [
      "set -> no change",
      {
        completions: 3,
        parallelism: 4,
        backoffLimit: 5,
        completionMode: "Indexed",
        suspend: true,
        podReplacementPolicy: "Failed",
      },
      {
        completions: 3,
        parallelism: 4,
        backoffLimit: 5,
        completionMode: "Indexed",
        suspend: true,
        podReplacementPolicy: "Failed",
      },
    ],
  ] as const
) {
  Deno.test(`applyWorkloadDefaults() fills a Job: ${what}`, () => {
    deepStrictEqual(job(spec), filled);
  });
}

Deno.test("applyWorkloadDefaults() fills the conditions of a Job's failures (Pod failure policy with some field values unspecified)", () => {
  const spec = job({
    completions: 1,
    podFailurePolicy: {
      rules: [
        {
          action: "Ignore",
          onPodConditions: [
            { type: "A", status: "" },
            { type: "B", status: "False" },
          ],
        },
        { action: "FailJob", onExitCodes: { operator: "In", values: [1] } },
      ],
    },
  });
  strictEqual(spec["podReplacementPolicy"], "Failed");
  deepStrictEqual(spec["podFailurePolicy"], {
    rules: [
      {
        action: "Ignore",
        onPodConditions: [
          { type: "A", status: "True" },
          { type: "B", status: "False" },
        ],
      },
      { action: "FailJob", onExitCodes: { operator: "In", values: [1] } },
    ],
  });
});

const TEMPLATE = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "web:1" }] },
};

for (const kind of ["Job", "ReplicationController"] as const) {
  Deno.test(`applyWorkloadDefaults() gives a ${kind} the labels of its pods`, () => {
    const labelsOf = (
      labels: Readonly<Record<string, string>> | undefined,
      template: object = TEMPLATE,
    ) =>
      applyWorkloadDefaults({
        kind,
        metadata: { ...(labels && { labels }) },
        spec: { template: { ...TEMPLATE, ...template } },
      }).metadata.labels;
    deepStrictEqual(labelsOf(undefined), { app: "web" });
    deepStrictEqual(labelsOf({}), { app: "web" });
    deepStrictEqual(labelsOf({ a: "b" }), { a: "b" });
    strictEqual(labelsOf(undefined, { metadata: {} }), undefined);
    strictEqual(labelsOf(undefined, { metadata: { labels: {} } }), undefined);
  });
}

Deno.test("applyWorkloadDefaults() gives a Deployment no labels", () => {
  const written = { kind: "Deployment", spec: { template: TEMPLATE } } as const;
  deepStrictEqual(applyWorkloadDefaults(written).metadata, {
    name: "",
    namespace: "default",
  });
});

Deno.test("applyWorkloadDefaults() selects the pods of a ReplicationController by their labels", () => {
  const selectorOf = (spec: WrittenOf<"ReplicationController">["spec"]) =>
    specOf({
      kind: "ReplicationController",
      spec: { template: TEMPLATE, ...spec },
    })["selector"];
  deepStrictEqual(selectorOf({}), { app: "web" });
  deepStrictEqual(selectorOf({ selector: {} }), { app: "web" });
  deepStrictEqual(selectorOf({ selector: { a: "b" } }), { a: "b" });
});

Deno.test("applyWorkloadDefaults() leaves a Job its selector", () => {
  const selector = { matchLabels: { a: "b" } };
  deepStrictEqual(job({ selector })["selector"], selector);
  ok(!("selector" in job({})));
});

Deno.test("applyWorkloadDefaults() fills a CronJob and its Jobs", () => {
  const cron = applyWorkloadDefaults({
    kind: "CronJob",
    metadata: { name: "nightly", namespace: "" },
    spec: {
      schedule: "@daily",
      jobTemplate: {
        metadata: { labels: { a: "b" } },
        spec: { template: TEMPLATE, selector: {} },
      },
    },
  });
  ok(cron.kind === "CronJob");
  strictEqual(cron.metadata.namespace, "default");
  const { jobTemplate, ...spec } = cron.spec;
  deepStrictEqual(spec, {
    schedule: "@daily",
    concurrencyPolicy: "Allow",
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  deepStrictEqual(jobTemplate.metadata, { labels: { a: "b" } });
  const { template, ...jobSpec } = jobTemplate.spec;
  deepStrictEqual(jobSpec, { ...JOB, completions: 1 });
  deepStrictEqual(template.metadata, TEMPLATE.metadata);
  strictEqual(template.spec.dnsPolicy, "ClusterFirst");
});

Deno.test("applyWorkloadDefaults() leaves a CronJob what it says", () => {
  const spec = {
    schedule: "@daily",
    concurrencyPolicy: "Forbid",
    suspend: true,
    successfulJobsHistoryLimit: 0,
    failedJobsHistoryLimit: 0,
  };
  const { jobTemplate: _, ...filled } = specOf({ kind: "CronJob", spec });
  deepStrictEqual(filled, spec);
});

Deno.test("applyWorkloadDefaults() changes nothing the second time", () => {
  for (
    const kind of [
      "ReplicationController",
      "ReplicaSet",
      "Deployment",
      "DaemonSet",
      "StatefulSet",
      "Job",
      "CronJob",
    ] as const
  ) {
    const once = applyWorkloadDefaults({ kind, spec: {} });
    deepStrictEqual(applyWorkloadDefaults(once), once);
  }
});
