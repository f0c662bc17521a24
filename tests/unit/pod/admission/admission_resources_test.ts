/**
 * Tests of whether what a pod asks for is free.
 *
 * @module
 */

import { amounts, asking, type Row, testRows } from "../admission_rows.ts";
import { sidecarSpec, spec } from "../builders.ts";

const RESOURCES: readonly Row[] = [
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
        sidecarSpec("s", { resources: { requests: { cpu: "600m" } } }),
      ],
    },
    reason: "OutOfcpu",
  },
  {
    title: "an init container that needs no more than the app later",
    pod: {
      ...asking({ cpu: "1500m" }),
      initContainers: [spec("i", { resources: { requests: { cpu: "2" } } })],
    },
  },
  {
    title: "an init container that needs more",
    pod: {
      ...asking({ cpu: "1" }),
      initContainers: [spec("i", { resources: { requests: { cpu: "3" } } })],
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
