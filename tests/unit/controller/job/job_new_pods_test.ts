/** What the pods of a Job look like; rows are named after indexed_job_utils_test.go. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { NewObject } from "../../../../mod/api/access/mod.ts";
import type { Job, PodTemplate } from "../../../../mod/api/workload/mod.ts";
import { controllerReference } from "../../../../mod/controller/run/mod.ts";
import { job, jobPod } from "../../../support/controller/job_objects.ts";
import { JobStep } from "../../../support/controller/job_steps.ts";

const TRACKED = "batch.kubernetes.io/job-tracking";
const INDEX = "batch.kubernetes.io/job-completion-index";

function made(step: JobStep): readonly NewObject[] {
  return step.wishes.changes.flatMap((each) =>
    each.verb === "create" ? [each.object] : []
  );
}

const template: PodTemplate = {
  metadata: {
    labels: { app: "pi" },
    annotations: { note: "x" },
    finalizers: ["x/y", TRACKED],
  },
  spec: {
    hostname: "other",
    initContainers: [{ name: "init" }],
    containers: [
      { name: "main", env: [{ name: "A", value: "1" }] },
      { name: "own", env: [{ name: "JOB_COMPLETION_INDEX", value: "me" }] },
    ],
  },
};

Deno.test("a pod without an index is the template, and is tracked", () => {
  const [pod] = made(new JobStep(job({ template }), []));
  deepStrictEqual(pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "shop",
      generateName: "pi-",
      labels: { app: "pi" },
      annotations: { note: "x" },
      finalizers: ["x/y", TRACKED],
      ownerReferences: [controllerReference(job())],
    },
    spec: template.spec,
  });
});

const INDEXED = { completionMode: "Indexed", completions: 8 };

Deno.test("a pod with an index says so by its name, host name, label and environment", () => {
  const step = new JobStep(job({ ...INDEXED, template }), [], undefined);
  const [pod] = made(step);
  const env = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: {
      fieldRef: { fieldPath: `metadata.labels['${INDEX}']` },
    },
  };
  deepStrictEqual(pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "shop",
      generateName: "pi-0-",
      labels: { app: "pi", [INDEX]: "0" },
      annotations: { note: "x", [INDEX]: "0" },
      finalizers: ["x/y", TRACKED],
      ownerReferences: [controllerReference(job())],
    },
    spec: {
      hostname: "pi-0",
      initContainers: [{ name: "init", env: [env] }],
      containers: [
        { name: "main", env: [{ name: "A", value: "1" }, env] },
        { name: "own", env: [{ name: "JOB_COMPLETION_INDEX", value: "me" }] },
      ],
    },
  });
});

Deno.test("a pod of a bare template has an index as well", () => {
  const bare = { spec: { containers: [] } };
  const [pod] = made(new JobStep(job({ ...INDEXED, template: bare }), []));
  deepStrictEqual(pod?.metadata.labels, { [INDEX]: "0" });
  deepStrictEqual(pod?.metadata.annotations, { [INDEX]: "0" });
  deepStrictEqual(pod?.metadata.finalizers, [TRACKED]);
  deepStrictEqual(Object.keys(pod ?? {}).at(-1), "spec");
});

// TestPodGenerateNameWithIndex
const NAMES: Readonly<Record<string, string>> = {
  "indexed-job": "indexed-job-0-",
  [`${"hhhhhooooo".repeat(6)}hhhhh`]: `${"hhhhhooooo".repeat(5)}hhhhh-0-`,
  [`${"hhhhhooooo".repeat(5)}hhhhhoo`]: `${"hhhhhooooo".repeat(5)}hhhhh-0-`,
};

for (const [name, prefix] of Object.entries(NAMES)) {
  Deno.test(`the name of a pod keeps its index: ${name}`, () => {
    const subject = job(INDEXED);
    const metadata = { ...subject.metadata, name };
    const [pod] = made(new JobStep({ ...subject, metadata }, []));
    strictEqual(pod?.metadata.generateName, prefix);
  });
}

Deno.test("what is told of pods has upstream's words", () => {
  const wishes = (spec: Partial<Job["spec"]>) =>
    new JobStep(job(spec), [jobPod("a")]).wishes.changes.at(-1)?.events;
  deepStrictEqual(wishes({ parallelism: 2 }), {
    done: {
      type: "Normal",
      reason: "SuccessfulCreate",
      message: "Created pod: {name}",
    },
    failed: {
      type: "Warning",
      reason: "FailedCreate",
      message: "Error creating: {error}",
    },
  });
  deepStrictEqual(wishes({ parallelism: 0 }), {
    done: {
      type: "Normal",
      reason: "SuccessfulDelete",
      message: "Deleted pod: {name}",
    },
    failed: {
      type: "Warning",
      reason: "FailedDelete",
      message: "Error deleting: {error}",
    },
  });
});
