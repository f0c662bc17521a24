import { deepStrictEqual } from "node:assert/strict";
import { immutableChanges } from "../../../../mod/api/validate/immutable_changes.ts";
import type { PodSpec } from "../../../../mod/api/types/pod.ts";

const BASE: PodSpec = {
  containers: [{
    name: "a",
    image: "x:1",
    env: [{ name: "A", value: "1" }],
    resources: { limits: { cpu: "1", memory: "1Gi", "hugepages-2Mi": "2Mi" } },
  }],
  initContainers: [{ name: "i", image: "x:1" }],
  nodeSelector: { zone: "a" },
  activeDeadlineSeconds: 10,
  terminationGracePeriodSeconds: 30,
  tolerations: [{ key: "k", operator: "Exists" }],
};

const [A = { name: "a" }] = BASE.containers;

function container(rest: Partial<typeof A>): PodSpec {
  return { ...BASE, containers: [{ ...A, ...rest }] };
}

const rows: readonly [
  what: string,
  after: PodSpec,
  fields: readonly string[],
][] = [
  ["nothing", structuredClone(BASE), []],
  ["an image", container({ image: "x:2" }), []],
  [
    "the image of an init container",
    { ...BASE, initContainers: [{ name: "i", image: "x:2" }] },
    [],
  ],
  [
    "cpu and memory",
    container({
      resources: {
        limits: { cpu: "2", memory: "2Gi", "hugepages-2Mi": "2Mi" },
        requests: { cpu: "1" },
      },
    }),
    [],
  ],
  [
    "other resources",
    container({
      resources: {
        limits: { cpu: "1", memory: "1Gi", "hugepages-2Mi": "4Mi" },
      },
    }),
    ["spec.containers[0].resources.limits[hugepages-2Mi]"],
  ],
  [
    "the resources of the pod",
    { ...BASE, resources: { limits: { cpu: "1" } } },
    [],
  ],
  ["a shorter deadline", { ...BASE, activeDeadlineSeconds: 5 }, []],
  ["a longer deadline", { ...BASE, activeDeadlineSeconds: 11 }, [
    "spec.activeDeadlineSeconds",
  ]],
  [
    "no deadline",
    (({ activeDeadlineSeconds: _, ...rest }) => rest)(BASE),
    ["spec.activeDeadlineSeconds"],
  ],
  ["the grace period", { ...BASE, terminationGracePeriodSeconds: 1 }, []],
  [
    "one more toleration",
    {
      ...BASE,
      tolerations: [
        { key: "l", operator: "Exists" },
        { key: "k", operator: "Exists", tolerationSeconds: 3 },
      ],
    },
    [],
  ],
  ["another toleration", { ...BASE, tolerations: [{ operator: "Exists" }] }, [
    "spec.tolerations",
  ]],
  [
    "a variable",
    container({ env: [{ name: "A", value: "2" }] }),
    ["spec.containers[0].env[0].value"],
  ],
  [
    "one more container",
    { ...BASE, containers: [A, { name: "b", image: "x:1" }] },
    ["spec.containers"],
  ],
  ["a namespace", { ...BASE, hostPID: true }, ["spec.hostPID"]],
  [
    "a node label",
    { ...BASE, nodeSelector: { zone: "b", ["__proto__"]: "c" } },
    [
      "spec.nodeSelector[zone]",
      "spec.nodeSelector[__proto__]",
    ],
  ],
  ["a whole list", (({ initContainers: _, ...rest }) => rest)(BASE), [
    "spec.initContainers",
  ]],
];

for (const [what, after, fields] of rows) {
  const verb = fields.length === 0 ? "allows a change of" : "names a change of";
  Deno.test(`immutableChanges() ${verb} ${what}`, () => {
    deepStrictEqual(
      immutableChanges(BASE, after).map(({ field }) => field),
      fields,
    );
  });
}
