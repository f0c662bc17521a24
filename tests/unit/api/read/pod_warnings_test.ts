/**
 * What manifests are told of without being refused.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../../mod/api/read/decode.ts";
import type { Fault } from "../../../../mod/api/fault/fault_list.ts";
import { podJson, podYaml } from "../../../support/api/drafts.ts";
import type { Parts } from "../../../support/api/rows.ts";

function warningsOf(
  source: string,
  unknownFields: "refuse" | "warn" = "refuse",
): readonly Fault[] {
  const result = decodeManifest(source, { unknownFields });
  strictEqual(result.kind, "ok", JSON.stringify(result));
  if (result.kind !== "ok") return [];
  const ofPods = result.pods.flatMap(({ warnings }) => warnings);
  const told = result.warnings.filter(({ field }) => field !== "");
  deepStrictEqual(ofPods, told);
  return result.warnings;
}

const C = "spec.containers[0]";
const rows: readonly [what: string, parts: Parts, field: string][] = [
  [
    "a variable that is set twice",
    { container: { env: [{ name: "A" }, { name: "A", value: "x" }] } },
    `${C}.env[1].name`,
  ],
  [
    "a port that is named twice (M25)",
    { container: { ports: [{ containerPort: 80 }, { containerPort: 80 }] } },
    `${C}.ports[1].containerPort`,
  ],
  [
    "a probe of a port that has no such name (PR-11)",
    { container: { livenessProbe: { httpGet: { port: "web" } } } },
    `${C}.livenessProbe.httpGet.port`,
  ],
  [
    "memory of less than a byte (M27)",
    { container: { resources: { limits: { memory: "100m" } } } },
    `${C}.resources.limits[memory]`,
  ],
  [
    "a seccomp annotation, which has no effect (SE-03)",
    {
      metadata: {
        annotations: {
          "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
        },
      },
    },
    "metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]",
  ],
];

for (const [what, parts, field] of rows) {
  Deno.test(`decodeManifest() warns of ${what}`, () => {
    const fields = warningsOf(podJson(parts)).map((warning) => warning.field);
    strictEqual(fields.includes(field), true, fields.join());
  });
}

Deno.test("decodeManifest() warns of nothing in a plain pod", () => {
  deepStrictEqual(
    warningsOf(podJson({
      container: {
        ports: [
          { containerPort: 80, name: "web" },
          { containerPort: 80, protocol: "UDP" },
        ],
        livenessProbe: { httpGet: { port: "web" } },
        readinessProbe: { httpGet: { port: 81 } },
        resources: { limits: { memory: "1Gi", cpu: "100m" } },
      },
    })),
    [],
  );
});

Deno.test("decodeManifest() leaves unknown fields out with a warning when told so (M09)", () => {
  const [warning, ...others] = warningsOf(
    podYaml("imagePulPolicy: Never"),
    "warn",
  );
  deepStrictEqual(others, []);
  deepStrictEqual(warning, {
    field: `${C}.imagePulPolicy`,
    message:
      'Unknown field: Container has no field "imagePulPolicy", did you mean "imagePullPolicy"?; it is left out',
    document: 1,
    line: 9,
  });
});

Deno.test("decodeManifest() refuses an unknown kind of volume even then (SRC-32, SE-07)", () => {
  const source = podJson({ spec: { volumes: [{ name: "v", hostpath: {} }] } });
  const result = decodeManifest(source, { unknownFields: "warn" });
  deepStrictEqual(
    result.kind === "refused" && result.faults.map(({ field }) => field),
    ["spec.volumes[0].hostpath"],
  );
});

Deno.test("decodeManifest() tells of so many unknown fields and no more", () => {
  const lines = Array.from({ length: 300 }, (_, i) => `unknown${i}: 1`);
  strictEqual(warningsOf(podYaml(...lines), "warn").length, 201);
});
