/**
 * Tests of what a pod may be told of itself.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { parseQuantity } from "../../../../mod/api/objects/mod.ts";
import {
  podFieldFile,
  podFieldValue,
  type ResourceFieldRef,
  resourceFieldValue,
} from "../../../../mod/pod/inputs/downward.ts";
import { container, pod, podOfThree } from "../../../support/pods.ts";

const POD = podOfThree({
  metadata: {
    labels: { b: "2", a: "1", "x.y/z": "" },
    annotations: {
      note: 'a "b" \\ c\n\t\x07\x01\x7f',
      odd: "é✓ \u00a0\u200b\u{1f600}\u{e0001}",
    },
  },
  nodeName: "edge1",
});

const FILES:
  readonly (readonly [path: string, expected: string | undefined])[] = [
    ["metadata.labels", 'a="1"\nb="2"\nx.y/z=""'],
    [
      "metadata.annotations",
      'note="a \\"b\\" \\\\ c\\n\\t\\a\\x01\\x7f"\n' +
      'odd="é✓ \\u00a0\\u200b\u{1f600}\\U000e0001"',
    ],
    ["metadata.labels['b']", "2"],
    ["metadata.labels['none']", ""],
    ["metadata.annotations['toString']", ""],
    ["metadata.name", "web"],
    ["metadata.namespace", "shop"],
    ["metadata.uid", "u-1"],
    ["spec.nodeName", undefined],
    ["status.podIP", undefined],
  ];

for (const [path, expected] of FILES) {
  Deno.test(`podFieldFile() shows ${path}`, () => {
    strictEqual(podFieldFile(POD, path), expected);
  });
}

Deno.test("podFieldFile() shows a map that is not there as nothing", () => {
  strictEqual(podFieldFile(podOfThree(), "metadata.annotations"), "");
});

Deno.test("podFieldValue() shows what only a variable can, and no whole map", () => {
  const facts = { podIps: ["10.0.0.9", "fd00::9"], hostIps: ["fd00::1"] };
  strictEqual(podFieldValue(POD, "spec.nodeName", facts), "edge1");
  strictEqual(podFieldValue(POD, "status.podIPs", facts), "fd00::9,10.0.0.9");
  strictEqual(podFieldValue(POD, "metadata.labels", facts), undefined);
});

const ADDRESSES: readonly (readonly [
  path: string,
  podIps: readonly string[],
  hostIps: readonly string[],
  expected: string,
])[] = [
  ["status.hostIP", [], ["192.0.2.1", "fd00::1"], "192.0.2.1"],
  ["status.hostIP", [], [], ""],
  ["status.hostIPs", [], ["192.0.2.1", "fd00::1"], "192.0.2.1,fd00::1"],
  ["status.podIP", ["fd00::9", "10.0.0.9"], ["192.0.2.1"], "10.0.0.9"],
  ["status.podIP", ["fd00::9", "10.0.0.9"], [], "fd00::9"],
  ["status.podIP", [], ["192.0.2.1"], ""],
  ["spec.serviceAccountName", [], [], ""],
];
for (const [path, podIps, hostIps, expected] of ADDRESSES) {
  Deno.test(`podFieldValue() shows ${path} with ${podIps} on ${hostIps} as "${expected}"`, () => {
    strictEqual(podFieldValue(pod(), path, { podIps, hostIps }), expected);
  });
}

const ALLOCATABLE = new Map([
  ["cpu", parseQuantity("3900m")],
  ["memory", parseQuantity("7Gi")],
  ["hugepages-2Mi", parseQuantity("64Mi")],
]);
const SIZED = container("sized", {
  resources: {
    requests: { cpu: "1m", memory: "100M" },
    limits: { cpu: "1001m", memory: "0" },
  },
});

const RESOURCES: readonly (readonly [
  ref: ResourceFieldRef,
  expected: string,
])[] = [
  [{ resource: "limits.cpu" }, "2"],
  [{ resource: "limits.cpu", divisor: "1m" }, "1001"],
  [{ resource: "requests.cpu" }, "1"],
  [{ resource: "requests.memory", divisor: "1Mi" }, "96"],
  [{ resource: "requests.memory", divisor: "0" }, "100000000"],
  // A limit of zero is none, and none is all that the node can give.
  [{ resource: "limits.memory", divisor: "1Gi" }, "7"],
  [{ resource: "limits.hugepages-2Mi" }, "0"],
  [{ resource: "requests.ephemeral-storage" }, "0"],
  [{ resource: "limits.cpu", containerName: "plain" }, "4"],
];

for (const [ref, value] of RESOURCES) {
  Deno.test(`resourceFieldValue() shows ${JSON.stringify(ref)} as ${value}`, () => {
    const of = pod({ containers: [SIZED, container("plain")] });
    deepStrictEqual(
      resourceFieldValue(of, ref, {
        container: SIZED,
        allocatable: ALLOCATABLE,
      }),
      { kind: "ok", value },
    );
  });
}

Deno.test("resourceFieldValue() shows the pod's own limit where a container has none", () => {
  const of = pod({
    resources: { limits: { cpu: "2" } },
    containers: [container("a")],
  });
  const read = (resource: string) =>
    resourceFieldValue(of, { resource, containerName: "a" }, {
      allocatable: ALLOCATABLE,
    });
  deepStrictEqual(read("limits.cpu"), { kind: "ok", value: "2" });
  deepStrictEqual(read("requests.cpu"), { kind: "ok", value: "0" });
});

const REFUSED: readonly (readonly [ref: ResourceFieldRef, message: string])[] =
  [
    [{ resource: "limits.cpu" }, 'the pod has no container ""'],
    [
      { resource: "limits.cpu", containerName: "no" },
      'the pod has no container "no"',
    ],
    [
      { resource: "cpu", containerName: "a" },
      '"resourceFieldRef" names "cpu", wanted "limits." or "requests." and a resource',
    ],
  ];

for (const [ref, message] of REFUSED) {
  Deno.test(`resourceFieldValue() refuses ${JSON.stringify(ref)}`, () => {
    deepStrictEqual(
      resourceFieldValue(podOfThree(), ref, { allocatable: new Map() }),
      { kind: "refused", message },
    );
  });
}
