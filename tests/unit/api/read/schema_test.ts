/**
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../../mod/api/read/decode.ts";
import { suggest } from "../../../../mod/base/text/mod.ts";
import {
  type Draft,
  faultsOf,
  linesOf,
  podJson,
  podYaml,
} from "../../../support/api/drafts.ts";

const ROWS: readonly [
  string,
  { spec?: Draft; container?: Draft; metadata?: Draft },
  string,
  RegExp,
][] = [
  [
    "a misspelt field",
    { spec: { restatPolicy: "Never" } },
    "spec.restatPolicy",
    /PodSpec has no field "restatPolicy", did you mean "restartPolicy"/,
  ],
  [
    "a field in the wrong case",
    { container: { Image: "x" } },
    "spec.containers[0].Image",
    /did you mean "image"/,
  ],
  [
    "a volume source in the wrong case",
    { spec: { volumes: [{ name: "d", hostpath: { path: "/data" } }] } },
    "spec.volumes[0].hostpath",
    /did you mean "hostPath"/,
  ],
  [
    "a volume source that there is not",
    { spec: { volumes: [{ name: "d", unknownFS: {} }] } },
    "spec.volumes[0].unknownFS",
    /^Unknown field: Volume has no field "unknownFS"$/,
  ],
  [
    "__proto__",
    { spec: JSON.parse('{"__proto__":{"hostPID":true}}') },
    "spec.__proto__",
    /Unknown field/,
  ],
  [
    "constructor",
    { spec: { constructor: 1 } },
    "spec.constructor",
    /Unknown field/,
  ],
  [
    "a mapping for a list",
    { spec: { containers: {} } },
    "spec.containers",
    /wanted a list, found a mapping/,
  ],
  [
    "a string for a list",
    { container: { ports: "80" } },
    "spec.containers[0].ports",
    /wanted a list, found a string/,
  ],
  [
    "a mapping for env",
    { container: { env: { A: 1 } } },
    "spec.containers[0].env",
    /wanted a list/,
  ],
  [
    "a number for a string",
    { container: { env: [{ name: "A", value: 8080 }] } },
    "spec.containers[0].env[0].value",
    /8080: wanted a string, found a number; write it in quotes/,
  ],
  [
    "a boolean for a string",
    { container: { env: [{ name: "A", value: true }] } },
    "spec.containers[0].env[0].value",
    /found a boolean/,
  ],
  [
    "a string for an integer",
    { container: { ports: [{ containerPort: "80" }] } },
    "spec.containers[0].ports[0].containerPort",
    /wanted an integer, found a string/,
  ],
  [
    "a fraction for an integer",
    { container: { ports: [{ containerPort: 80.5 }] } },
    "spec.containers[0].ports[0].containerPort",
    /fraction/,
  ],
  [
    "a string for a boolean",
    { spec: { hostNetwork: "true" } },
    "spec.hostNetwork",
    /wanted true or false/,
  ],
  [
    "null in a list of strings",
    { container: { command: ["a", null] } },
    "spec.containers[0].command[1]",
    /found nothing/,
  ],
  [
    "null in a list of objects",
    { spec: { volumes: [null] } },
    "spec.volumes[0]",
    /an object \(Volume\)/,
  ],
  [
    "a boolean as a quantity",
    { container: { resources: { limits: { cpu: true } } } },
    "spec.containers[0].resources.limits[cpu]",
    /wanted a quantity/,
  ],
  [
    "a wrong quantity",
    { container: { resources: { limits: { cpu: "1KiB" } } } },
    "spec.containers[0].resources.limits[cpu]",
    /"1KiB": wanted a quantity/,
  ],
  [
    "a quantity that is too large",
    { container: { resources: { limits: { memory: "1e99" } } } },
    "spec.containers[0].resources.limits[memory]",
    /less than 2\^63/,
  ],
  [
    "an integer beyond int32",
    { spec: { priority: 2 ** 31 } },
    "spec.priority",
    /range of a int32/,
  ],
  [
    "a label that is a number",
    { metadata: { labels: { a: 1 } } },
    "metadata.labels[a]",
    /wanted a string/,
  ],
  [
    "half a surrogate pair",
    { metadata: { annotations: { a: "\ud800" } } },
    "metadata.annotations[a]",
    /surrogate/,
  ],
  [
    "a boolean as a port of a probe",
    { container: { livenessProbe: { tcpSocket: { port: true } } } },
    "spec.containers[0].livenessProbe.tcpSocket.port",
    /wanted an integer/,
  ],
];

for (const [what, parts, field, message] of ROWS) {
  Deno.test(`decodeManifest() refuses ${what}`, () => {
    const fault = faultsOf(podJson(parts)).find((fault) =>
      fault.field === field
    );
    match(fault?.message ?? JSON.stringify(faultsOf(podJson(parts))), message);
  });
}

Deno.test("decodeManifest() says of a field of the wrong type only that", () => {
  strictEqual(linesOf(podJson({ container: { name: 1 } })).length, 1);
});

for (
  const [text, fits] of [
    ["9007199254740991", true],
    ["9007199254740993", false],
    ["9223372036854775807", false],
    ["9223372036854775808", false],
  ] as const
) {
  Deno.test(`decodeManifest() ${fits ? "takes" : "refuses"} a grace period of ${text}`, () => {
    const json = podJson().replace(
      '"spec":{',
      `"spec":{"terminationGracePeriodSeconds":${text},`,
    );
    const result = decodeManifest(json);
    strictEqual(result.kind, fits ? "ok" : "refused");
  });
}

Deno.test("decodeManifest() takes null for absent", () => {
  const result = decodeManifest(
    podYaml(
      "command:",
      "env:",
      "- {name: A, value: null}",
      "securityContext: ~",
    ).replace(
      "  name: web\n",
      "  name: web\n  creationTimestamp: null\n  labels: {a: null}\n",
    ),
  );
  const [pod] = result.kind === "ok" ? result.pods : [];
  deepStrictEqual(pod?.spec.containers[0]?.env, [{ name: "A" }]);
  deepStrictEqual(pod?.metadata, { name: "web", labels: { a: "" } });
});

Deno.test("decodeManifest() reads YAML as the kubelet does", () => {
  const result = decodeManifest(
    podYaml(
      "ports: [{containerPort: 1_0_8_0}]",
      "env:",
      "- {name: DATE, value: 2024-01-02}",
      "- {name: TIME, value: 22:22}",
      "- {name: BINARY, value: !!binary aGVsbG8=}",
      "- {name: QUOTED, value: 'yes'}",
      "resources: {limits: {cpu: 1, memory: 1_000}}",
      "livenessProbe: {tcpSocket: {port: 80}, periodSeconds: 1e1}",
    ).replace(
      "spec:\n",
      [
        "spec:",
        "  hostNetwork: on",
        "  enableServiceLinks: n",
        "  volumes:",
        "  - name: a",
        "    downwardAPI: {defaultMode: 0644}",
        "  - name: b",
        "    downwardAPI: {defaultMode: 0o600}",
        "",
      ].join("\n"),
    ).replace(
      "  name: web\n",
      "  name: web\n  annotations: {at: 2001-12-14t21:59:43.10-05:00}\n",
    ),
  );
  if (result.kind === "refused") throw new Error(JSON.stringify(result.faults));
  const [pod] = result.pods;
  const [container] = pod?.spec.containers ?? [];
  strictEqual(
    pod?.metadata.annotations?.["at"],
    "2001-12-14t21:59:43.10-05:00",
  );
  strictEqual(pod?.spec.hostNetwork, true);
  strictEqual(pod?.spec.enableServiceLinks, false);
  strictEqual(pod?.spec.volumes?.[0]?.downwardAPI?.defaultMode, 420);
  strictEqual(pod?.spec.volumes?.[1]?.downwardAPI?.defaultMode, 384);
  strictEqual(container?.ports?.[0]?.containerPort, 1080);
  strictEqual(container?.livenessProbe?.periodSeconds, 10);
  deepStrictEqual(container?.resources?.limits, { cpu: "1", memory: "1000" });
  deepStrictEqual(container?.env?.map((one) => one.value), [
    "2024-01-02",
    "22:22",
    "hello",
    "yes",
  ]);
});

for (const value of ["yes", "012", "1e3", "on", "0x10"]) {
  Deno.test(`decodeManifest() refuses a bare ${value} where a string is wanted`, () => {
    const [fault] = faultsOf(podYaml("env:", `- {name: A, value: ${value}}`));
    strictEqual(fault?.field, "spec.containers[0].env[0].value");
    strictEqual(fault?.line, 10);
  });
}

for (
  const [word, expected] of [
    ["restatPolicy", "restartPolicy"],
    ["RESTARTPOLICY", "restartPolicy"],
    ["ocntainers", "containers"],
    ["hostnetwork", "hostNetwork"],
    ["replicas", undefined],
    ["x", undefined],
  ] as const
) {
  Deno.test(`suggest() takes "${word}" for ${expected}`, () => {
    const fields = ["containers", "hostNetwork", "restartPolicy", "volumes"];
    strictEqual(suggest(word, fields), expected);
  });
}
