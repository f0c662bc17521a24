import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  decodeManifest,
  decodeManifestParts,
  placeWorkloadFaults,
} from "../../../../mod/api/read/mod.ts";
import type { WorkloadManifest } from "../../../../mod/api/workload/mod.ts";

const TEMPLATE = `
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: "web:1" }] }`;
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }${TEMPLATE}
`;
const JOB = `apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:${TEMPLATE.replace("spec: {", "spec: { restartPolicy: Never,")}
`;

function decode(text: string): WorkloadManifest {
  const result = decodeManifest(text);
  ok(result.kind === "ok", JSON.stringify(result));
  const [workload, ...more] = result.workloads;
  deepStrictEqual(more, []);
  ok(workload !== undefined);
  return workload;
}

function faults(text: string): readonly string[] {
  const result = decodeManifest(text);
  return result.kind === "ok"
    ? []
    : result.faults.map(({ field, message }) => `${field}: ${message}`);
}

for (
  const [kind, apiVersion] of [
    ["ReplicationController", "v1"],
    ["ReplicaSet", "apps/v1"],
    ["Deployment", "apps/v1"],
    ["DaemonSet", "apps/v1"],
    ["StatefulSet", "apps/v1"],
  ] as const
) {
  const text = DEPLOYMENT.replace("Deployment", kind)
    .replace("apps/v1", apiVersion);
  const plain = kind === "ReplicationController"
    ? text.replace("{ matchLabels: { app: web } }", "{ app: web }")
    : text;

  Deno.test(`decodeManifest() reads a ${kind} with the defaults of its pods`, () => {
    const workload = decode(plain);
    strictEqual(workload.kind, kind);
    strictEqual(workload.apiVersion, apiVersion);
    deepStrictEqual(
      [workload.metadata.namespace, workload.metadata.name],
      ["default", "web"],
    );
    const { spec } = workload.spec.template;
    strictEqual(spec.restartPolicy, "Always");
    strictEqual(spec.containers[0]?.imagePullPolicy, "IfNotPresent");
  });

  Deno.test(`decodeManifest() refuses a ${kind} of another version, and says which is right`, () => {
    deepStrictEqual(faults(plain.replace(apiVersion, "extensions/v1beta1")), [
      `apiVersion: Unsupported value: "extensions/v1beta1": supported values: "${apiVersion}"`,
    ]);
  });
}

Deno.test("decodeManifest() leaves a Job without a selector, and takes its labels from its pods", () => {
  const job = decode(JOB);
  ok(job.kind === "Job");
  strictEqual(job.spec.selector, undefined);
  deepStrictEqual(job.metadata.labels, { app: "web" });
});

Deno.test("decodeManifest() says once that a selector is missing", () => {
  const text = DEPLOYMENT.replace(
    "  selector: { matchLabels: { app: web } }\n",
    "",
  );
  deepStrictEqual(faults(text), ["spec.selector: Required value"]);
});

Deno.test("decodeManifest() names what is wrong in a template by its whole path and line", () => {
  const text = DEPLOYMENT.replace("image:", "imag:");
  const result = decodeManifest(text);
  ok(result.kind === "refused");
  const [fault] = result.faults;
  strictEqual(fault?.field, "spec.template.spec.containers[0].imag");
  strictEqual(fault?.line, 8);
  match(fault?.message ?? "", /did you mean "image"\?/);
});

Deno.test("decodeManifest() warns of what is odd in a template", () => {
  const env = "env: [{ name: A, value: v }, { name: A, value: w }]";
  const text = DEPLOYMENT.replace("name: main,", `name: main, ${env},`);
  const result = decodeManifest(text);
  ok(result.kind === "ok");
  deepStrictEqual(result.warnings.map(({ field }) => field), [
    "spec.template.spec.containers[0].env[1].name",
  ]);
});

Deno.test("decodeManifest() takes workloads out of a List beside pods", () => {
  const items = [DEPLOYMENT, JOB].map((text) =>
    text.trim().split("\n").map((line, at) => (at === 0 ? "- " : "  ") + line)
      .join("\n")
  );
  const result = decodeManifest(
    `apiVersion: v1\nkind: List\nitems:\n${items.join("\n")}\n`,
  );
  ok(result.kind === "ok", JSON.stringify(result));
  deepStrictEqual(result.workloads.map(({ kind }) => kind), [
    "Deployment",
    "Job",
  ]);
});

Deno.test("decodeManifestParts() says of a bad workload what it is", () => {
  const bad = JOB.replace("Never", "Alway");
  const result = decodeManifestParts(`${DEPLOYMENT}---\n${bad}`);
  ok(result.kind === "read");
  deepStrictEqual(result.workloads.map(({ kind }) => kind), ["Deployment"]);
  const [{ kind, named, isPod } = {}] = result.faulty;
  deepStrictEqual({ kind, named, isPod }, {
    kind: "Job",
    named: { name: "once" },
    isPod: false,
  });
});

Deno.test("placeWorkloadFaults() finds workloads among other documents and in lists", () => {
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: { name: p }\n";
  const list =
    `apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n- kind: Job\n  spec: 1\n`;
  const fault = { field: "spec", message: "m" };
  deepStrictEqual(
    placeWorkloadFaults(`${pod}---\n${DEPLOYMENT}---\n${list}`, [[fault], [
      fault,
    ]]),
    [
      { ...fault, document: 2, line: 8 },
      { ...fault, field: "items[1].spec", document: 3, line: 19 },
    ],
  );
});

Deno.test("decodeManifest() names the spec of a workload as it is written, and not its defaults", () => {
  const hashOf = (text: string) => decode(text).writtenHash;
  const hash = hashOf(DEPLOYMENT);
  match(hash ?? "", /^[0-9a-f]{32}$/);
  const labelled = "metadata: { name: web, labels: { a: b } }";
  strictEqual(
    hashOf(DEPLOYMENT.replace("metadata: { name: web }", labelled)),
    hash,
  );
  // That is the default.
  const said = DEPLOYMENT.replace("spec:\n", "spec:\n  replicas: 1\n");
  strictEqual(hashOf(said) === hash, false);
  deepStrictEqual(decode(said).spec, decode(DEPLOYMENT).spec);
});
