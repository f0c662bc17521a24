/**
 * Tests of a container's environment.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import type { EnvVar } from "../../../../mod/api/types/mod.ts";
import { parseQuantity } from "../../../../mod/api/objects/mod.ts";
import { NO_OBJECTS } from "../../../support/no_objects.ts";
import {
  containerEnvironment,
  type EnvironmentInput,
} from "../../../../mod/runtime/spec/environment.ts";
import { SpecRefusal } from "../../../../mod/runtime/spec/spec_refusal.ts";
import { container, pod } from "../../../support/pods.ts";

type Facts = Omit<EnvironmentInput, "pod" | "container">;

const FACTS: Facts = {
  podIps: ["10.88.0.7", "fd00::7"],
  node: {
    ips: ["10.0.0.5", "fd00::5"],
    allocatable: new Map([
      ["cpu", parseQuantity("4")],
      ["memory", parseQuantity("1Gi")],
    ]),
  },
  objects: NO_OBJECTS,
};
const POD = pod({
  nodeName: "edge1",
  serviceAccountName: "robot",
  metadata: {
    labels: { app: "web", "a.b/c": "d" },
    annotations: { note: "z z" },
  },
});

function environment(
  env: readonly EnvVar[],
  facts: Facts = FACTS,
): Record<string, string> {
  const values = containerEnvironment({
    pod: POD,
    container: container("c", { env }),
    ...facts,
  });
  return Object.fromEntries(values);
}

Deno.test("containerEnvironment() lets a value see only what stands before it", () => {
  deepStrictEqual(
    environment([
      { name: "B", value: "$(A)-$(C)" },
      { name: "A", value: "1" },
      { name: "C", value: "$(A)/$(B)" },
      { name: "A", value: "2" },
      { name: "E", value: "" },
      { name: "D", value: "$$(A)$(A" },
      { name: "F" },
    ]),
    { B: "$(A)-$(C)", A: "2", C: "1/$(A)-$(C)", E: "", D: "$(A)$(A", F: "" },
  );
});

Deno.test("containerEnvironment() expands as scenario RT-27 says", () => {
  deepStrictEqual(
    environment([
      { name: "A", value: "1" },
      { name: "B", value: "$(A)-$(C)" },
      { name: "C", value: "$$(A)" },
      { name: "D", value: "$(D)" },
    ]),
    { A: "1", B: "1-$(C)", C: "$(A)", D: "$(D)" },
  );
});

Deno.test("containerEnvironment() does not expand what comes by reference, but lets others use it", () => {
  const of = pod({ metadata: { annotations: { x: "$(A)" } } });
  const env: EnvVar[] = [
    { name: "A", value: "1" },
    {
      name: "R",
      valueFrom: { fieldRef: { fieldPath: "metadata.annotations['x']" } },
    },
    { name: "U", value: "<$(R)>" },
  ];
  deepStrictEqual(
    Object.fromEntries(
      containerEnvironment({
        pod: of,
        container: container("c", { env }),
        ...FACTS,
      }),
    ),
    { A: "1", R: "$(A)", U: "<$(A)>" },
  );
});

const FIELDS: readonly (readonly [path: string, expected: string])[] = [
  ["metadata.name", "web"],
  ["metadata.namespace", "shop"],
  ["metadata.uid", "u-1"],
  ["metadata.labels['app']", "web"],
  ["metadata.labels['a.b/c']", "d"],
  ["metadata.labels['none']", ""],
  ["metadata.labels['constructor']", ""],
  ["metadata.annotations['note']", "z z"],
  ["spec.nodeName", "edge1"],
  ["spec.serviceAccountName", "robot"],
  ["status.hostIP", "10.0.0.5"],
  ["status.hostIPs", "10.0.0.5,fd00::5"],
  ["status.podIP", "10.88.0.7"],
  ["status.podIPs", "10.88.0.7,fd00::7"],
];

for (const [fieldPath, expected] of FIELDS) {
  Deno.test(`containerEnvironment() shows ${fieldPath}`, () => {
    const env = environment([
      { name: "X", valueFrom: { fieldRef: { fieldPath } } },
    ]);
    strictEqual(env["X"], expected);
  });
}

Deno.test("containerEnvironment() puts the pod's addresses of the node's family first", () => {
  const env = environment(
    [{ name: "X", valueFrom: { fieldRef: { fieldPath: "status.podIPs" } } }],
    { ...FACTS, node: { ...FACTS.node, ips: ["fd00::5"] } },
  );
  strictEqual(env["X"], "fd00::7,10.88.0.7");
});

Deno.test("containerEnvironment() shows nothing for an address that is not known", () => {
  const node = { ...FACTS.node, ips: [] };
  const nowhere = { ...FACTS, podIps: [], node };
  for (const fieldPath of ["status.podIP", "status.hostIP"]) {
    const env = environment([
      { name: "X", valueFrom: { fieldRef: { fieldPath } } },
    ], nowhere);
    strictEqual(env["X"], "");
  }
});

interface ResourceCase {
  readonly resource: string;
  readonly divisor?: string;
  readonly expected: string;
}
const SIZED = container("c", {
  resources: {
    requests: { cpu: "250m", memory: "64Mi" },
    limits: {
      cpu: "1500m",
      memory: "9007199254740993",
      "hugepages-2Mi": "8Mi",
    },
  },
});
const RESOURCES: readonly ResourceCase[] = [
  { resource: "limits.cpu", expected: "2" },
  { resource: "limits.cpu", divisor: "1m", expected: "1500" },
  { resource: "limits.cpu", divisor: "0", expected: "2" },
  { resource: "requests.cpu", expected: "1" },
  { resource: "requests.memory", expected: "67108864" },
  { resource: "requests.memory", divisor: "1Mi", expected: "64" },
  { resource: "requests.memory", divisor: "60M", expected: "2" },
  { resource: "limits.memory", expected: "9007199254740993" },
  { resource: "limits.hugepages-2Mi", divisor: "2Mi", expected: "4" },
  { resource: "requests.ephemeral-storage", expected: "0" },
  { resource: "limits.ephemeral-storage", expected: "0" },
];

for (const { resource, divisor, expected } of RESOURCES) {
  Deno.test(`containerEnvironment() shows ${resource} by ${divisor ?? "one"} as ${expected}`, () => {
    const env: EnvVar[] = [{
      name: "X",
      valueFrom: {
        resourceFieldRef: {
          resource,
          ...(divisor === undefined ? {} : { divisor }),
        },
      },
    }];
    const values = containerEnvironment({
      pod: POD,
      container: { ...SIZED, env },
      ...FACTS,
    });
    strictEqual(values.get("X"), expected);
  });
}

Deno.test("containerEnvironment() shows the node's allocatable for a limit that is not set", () => {
  const env = environment([
    {
      name: "C",
      valueFrom: { resourceFieldRef: { resource: "limits.cpu" } },
    },
    {
      name: "M",
      valueFrom: {
        resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" },
      },
    },
    {
      name: "R",
      valueFrom: { resourceFieldRef: { resource: "requests.cpu" } },
    },
  ]);
  deepStrictEqual(env, { C: "4", M: "1024", R: "0" });
});

Deno.test("containerEnvironment() shows the resources of another container", () => {
  const of = pod({ containers: [container(), { ...SIZED, name: "big" }] });
  const env: EnvVar[] = [{
    name: "X",
    valueFrom: {
      resourceFieldRef: { resource: "requests.memory", containerName: "big" },
    },
  }];
  const values = containerEnvironment({
    pod: of,
    container: container("c", { env }),
    ...FACTS,
  });
  strictEqual(values.get("X"), "67108864");
});

const REFUSED: readonly (readonly [
  title: string,
  valueFrom: NonNullable<EnvVar["valueFrom"]>,
])[] = [
  ["nothing", {}],
  ["an unknown field", { fieldRef: { fieldPath: "spec.containers" } }],
  ["a whole map", { fieldRef: { fieldPath: "metadata.labels" } }],
  ["an unknown side", { resourceFieldRef: { resource: "sizes.cpu" } }],
  [
    "a container that is not there",
    { resourceFieldRef: { resource: "limits.cpu", containerName: "no" } },
  ],
];

for (const [title, valueFrom] of REFUSED) {
  Deno.test(`containerEnvironment() refuses a variable that refers to ${title}`, () => {
    throws(
      () => environment([{ name: "SECRET_ONE", valueFrom }]),
      (error) =>
        error instanceof SpecRefusal && error.message.includes('"SECRET_ONE"'),
    );
  });
}

Deno.test("containerEnvironment() refuses a chain of variables that would not fit into memory", () => {
  const doubled = Array.from({ length: 13 }, (_, at) => ({
    name: `E${at + 1}`,
    value: `$(E${at})$(E${at})`,
  }));
  const first = { name: "E0", value: "x".repeat(64) };
  const many = Array.from({ length: 3_000 }, (_, at) => ({
    name: `MANY${at}`,
    value: "$(E13)",
  }));
  strictEqual(environment([first, ...doubled])["E13"]?.length, 1 << 19);
  throws(() => environment([first, ...doubled, ...many]), SpecRefusal);
});
