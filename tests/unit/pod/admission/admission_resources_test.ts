/**
 * Tests of whether what a pod asks for is free.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { refuseResize } from "../../../../mod/pod/admission/admission_resources.ts";
import {
  type AdmissionRow,
  amounts,
  asking,
  testRows,
} from "../../../support/pod/admission_rows.ts";
import {
  container,
  pod,
  type PodDraft,
  sidecar,
} from "../../../support/pods.ts";

const RESOURCES: readonly AdmissionRow[] = [
  { title: "a pod that asks for nothing", pod: {} },
  { title: "all of the CPU", pod: asking({ cpu: "2" }) },
  { title: "too much CPU", pod: asking({ cpu: "2001m" }), reason: "OutOfcpu" },
  {
    title: "more CPU than is left",
    pod: asking({ cpu: "600m" }),
    others: [asking({ cpu: "1500m" })],
    reason: "OutOfcpu",
  },
  {
    title: "what is just left",
    pod: asking({ cpu: "500m" }),
    others: [asking({ cpu: "1500m" })],
  },
  {
    title: "no CPU on a node that has none left",
    pod: asking({ memory: "1Mi" }),
    others: [asking({ cpu: "5" })],
  },
  {
    title: "too much memory",
    pod: asking({ memory: "9Ti" }),
    reason: "OutOfmemory",
  },
  {
    title: "too much memory for a critical pod: nothing is ended for it",
    pod: { ...asking({ memory: "9Ti" }), priority: 2_000_000_000 },
    reason: "OutOfmemory",
  },
  {
    title: "CPU before memory",
    pod: asking({ memory: "9Ti", cpu: "9" }),
    reason: "OutOfcpu",
  },
  {
    title: "disk that the node states",
    pod: asking({ "ephemeral-storage": "2Gi" }),
    node: { allocatable: amounts({ "ephemeral-storage": "1Gi" }) },
    reason: "OutOfephemeral-storage",
  },
  {
    title: "disk of which the node says nothing",
    pod: asking({ "ephemeral-storage": "2Gi" }),
  },
  {
    title: "huge pages that the node states",
    pod: asking({ "hugepages-2Mi": "4Mi" }),
    node: { allocatable: amounts({ "hugepages-2Mi": "2Mi" }) },
    reason: "OutOfhugepages-2Mi",
  },
  { title: "the last place", pod: {}, others: [{}, {}] },
  {
    title: "one pod too many",
    pod: {},
    others: [{}, {}, {}],
    reason: "OutOfpods",
  },
  {
    title: "a sidecar beside the app",
    pod: {
      ...asking({ cpu: "1500m" }),
      initContainers: [
        sidecar("s", { resources: { requests: { cpu: "600m" } } }),
      ],
    },
    reason: "OutOfcpu",
  },
  {
    title: "an init container that needs no more than the app later",
    pod: {
      ...asking({ cpu: "1500m" }),
      initContainers: [
        container("i", { resources: { requests: { cpu: "2" } } }),
      ],
    },
  },
  {
    title: "an init container that needs more",
    pod: {
      ...asking({ cpu: "1" }),
      initContainers: [
        container("i", { resources: { requests: { cpu: "3" } } }),
      ],
    },
    reason: "OutOfcpu",
  },
  {
    title: "overhead",
    pod: { ...asking({ cpu: "1900m" }), overhead: { cpu: "200m" } },
    reason: "OutOfcpu",
  },
  {
    title: "the overhead of another pod",
    pod: asking({ cpu: "1900m" }),
    others: [{ overhead: { cpu: "200m" } }],
    reason: "OutOfcpu",
  },
  {
    title: "what the pod asks for as a whole",
    pod: { ...asking({ cpu: "1" }), resources: { requests: { cpu: "3" } } },
    reason: "OutOfcpu",
  },
];

testRows(RESOURCES);

const NODE = { allocatable: amounts({ cpu: "2", memory: "1Gi", pods: "1" }) };
const HAD = asking({ cpu: "1", memory: "512Mi" });
const resizes: readonly {
  readonly title: string;
  readonly asks: PodDraft;
  readonly others?: readonly PodDraft[];
  readonly node?: typeof NODE;
  readonly refusal?: readonly [reason: string, message: string];
}[] = [
  {
    title: "more than the node has",
    asks: asking({ cpu: "2001m" }),
    refusal: [
      "Infeasible",
      "Node didn't have enough capacity: cpu, requested: 2001, capacity: 2000",
    ],
  },
  { title: "all that the node has", asks: asking({ cpu: "2" }) },
  {
    title: "more than others leave",
    asks: asking({ cpu: "1500m", memory: "512Mi" }),
    others: [asking({ cpu: "600m" })],
    refusal: [
      "Deferred",
      "Node didn't have enough resource: cpu, requested: 1500, used: 600, capacity: 2000",
    ],
  },
  {
    title: "what it has already, although others have more than there is",
    asks: HAD,
    others: [asking({ cpu: "3", memory: "3Gi" })],
  },
  {
    title: "more of one, and of the other what it has and is not there",
    asks: asking({ cpu: "1100m", memory: "512Mi" }),
    others: [asking({ memory: "3Gi" })],
  },
  {
    title: "more of what the node says nothing of",
    asks: asking({ cpu: "9" }),
    node: { allocatable: amounts({ memory: "1Gi" }) },
  },
];
for (const { title, asks, others = [], node = NODE, refusal } of resizes) {
  Deno.test(`refuseResize() of a pod that asks for ${title} is ${refusal?.[0]}`, () => {
    const found = refuseResize({
      pod: pod(asks),
      allocated: pod(HAD),
      others: others.map((other) => pod(other)),
      node,
    });
    deepStrictEqual(found && [found.reason, found.message], refusal);
  });
}

Deno.test("refuseResize() says what is lacking", () => {
  const refusal = refuseResize({
    pod: pod(asking({ cpu: "1500m" })),
    allocated: pod(HAD),
    others: [pod(asking({ cpu: "1" }))],
    node: NODE,
  });
  deepStrictEqual(refusal?.shortage, {
    resource: "cpu",
    requested: 1500n,
    used: 1000n,
    capacity: 2000n,
  });
});
