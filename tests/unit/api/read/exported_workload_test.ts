import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../../mod/api/read/mod.ts";
import type { WorkloadManifest } from "../../../../mod/api/workload/mod.ts";

const EXPORTED = {
  creationTimestamp: "2026-01-02T03:04:05Z",
  generation: 3,
  namespace: "shop",
  resourceVersion: "4711",
  uid: "0b0a4a2e",
};

const template = (
  labels: Readonly<Record<string, string>>,
  restartPolicy: string,
) => ({
  metadata: { creationTimestamp: null, labels },
  spec: { restartPolicy, containers: [{ name: "main", image: "web:1" }] },
});

function decode(
  manifest: unknown,
): { workload: WorkloadManifest; warnings: readonly string[] } {
  const result = decodeManifest(JSON.stringify(manifest));
  ok(result.kind === "ok", JSON.stringify(result));
  const [workload] = result.workloads;
  ok(workload !== undefined);
  return { workload, warnings: result.warnings.map(({ message }) => message) };
}

Deno.test("decodeManifest() takes a Deployment from a cluster, without what only that sets", () => {
  const { workload, warnings } = decode({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      ...EXPORTED,
      name: "web",
      annotations: { "deployment.kubernetes.io/revision": "7", note: "kept" },
      ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "u" }],
      finalizers: ["example.org/wait"],
    },
    spec: {
      selector: { matchLabels: { app: "web" } },
      strategy: {},
      template: template({ app: "web" }, "Always"),
    },
    status: { replicas: 1, conditions: [] },
  });
  deepStrictEqual(workload.metadata, {
    annotations: { note: "kept" },
    name: "web",
    namespace: "shop",
  });
  ok(!("status" in workload));
  const [warning = "", ...more] = warnings;
  deepStrictEqual(more, []);
  match(warning, /^Comes from a cluster, .*: metadata\.creationTimestamp, /);
  match(
    warning,
    /metadata\.annotations\[deployment\.kubernetes\.io\/revision\], status$/,
  );
});

const GENERATED = {
  "batch.kubernetes.io/controller-uid": "0b0a4a2e",
  "batch.kubernetes.io/job-name": "once",
  "controller-uid": "0b0a4a2e",
  "job-name": "once",
};

const job = (spec: object) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { ...EXPORTED, name: "once", labels: { ...GENERATED, app: "a" } },
  spec: {
    selector: { matchLabels: { "controller-uid": "0b0a4a2e" } },
    template: template({ ...GENERATED, app: "a" }, "Never"),
    ...spec,
  },
});

Deno.test("decodeManifest() takes a Job from a cluster without the selector that was made for it", () => {
  const { workload, warnings } = decode(job({}));
  ok(workload.kind === "Job");
  strictEqual(workload.spec.selector, undefined);
  deepStrictEqual(workload.metadata.labels, { app: "a" });
  deepStrictEqual(workload.spec.template.metadata?.labels, { app: "a" });
  match(warnings.join(), /metadata\.labels\[job-name\].*, spec\.selector, /);
  match(warnings.join(), /, spec\.template\.metadata\.labels\[job-name\]/);
});

Deno.test("decodeManifest() leaves a Job from a cluster the selector of its author", () => {
  const { workload } = decode(job({ manualSelector: true }));
  ok(workload.kind === "Job");
  deepStrictEqual(workload.spec.selector, {
    matchLabels: { "controller-uid": "0b0a4a2e" },
  });
  deepStrictEqual(workload.spec.template.metadata?.labels, {
    ...GENERATED,
    app: "a",
  });
});

Deno.test("decodeManifest() takes what kubectl create --dry-run writes, and says nothing of it", () => {
  const { workload, warnings } = decode({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { creationTimestamp: null, name: "web", resourceVersion: "" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      strategy: {},
      template: template({ app: "web" }, "Always"),
    },
    status: {},
  });
  deepStrictEqual(workload.metadata, { name: "web", namespace: "default" });
  deepStrictEqual(warnings, []);
});

Deno.test("decodeManifest() refuses owners and finalizers of what comes from no cluster", () => {
  const result = decodeManifest(JSON.stringify({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", finalizers: ["example.org/wait"] },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: template({ app: "web" }, "Always"),
    },
  }));
  ok(result.kind === "refused");
  deepStrictEqual(result.faults.map(({ field }) => field), [
    "metadata.finalizers",
  ]);
});
