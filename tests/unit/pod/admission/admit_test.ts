/**
 * Tests of whether a node takes a pod.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  type AdmissionRow,
  asking,
  judge,
  listening,
  testRows,
} from "../../../support/pod/admission_rows.ts";
import type { PodDraft } from "../../../support/pods.ts";

type Expression = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
};

function affine(
  ...terms: readonly {
    readonly matchExpressions?: readonly Expression[];
    readonly matchFields?: readonly Expression[];
  }[]
): PodDraft {
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: terms,
        },
      },
    },
  };
}

function expression(
  key: string,
  operator: string,
  ...values: readonly string[]
): PodDraft {
  return affine({ matchExpressions: [{ key, operator, values }] });
}

function field(operator: string, ...values: readonly string[]): PodDraft {
  const key = "metadata.name";
  return affine({ matchFields: [{ key, operator, values }] });
}

const NO = { reason: "NodeAffinity" };

const GONE = { key: "gone", value: "yes", effect: "NoExecute" };

/** What a pod tolerates, and whether that is enough. */
const TOLERATIONS: readonly (readonly [
  title: string,
  toleration: NonNullable<PodDraft["tolerations"]>[number],
  isEnough: boolean,
])[] = [
  ["its key and value", { key: "gone", value: "yes" }, true],
  ["it in words", { key: "gone", operator: "Equal", value: "yes" }, true],
  ["its key", { key: "gone", operator: "Exists" }, true],
  ["everything", { operator: "Exists" }, true],
  ["its effect", { operator: "Exists", effect: "NoExecute" }, true],
  ["it for a time", {
    ...{ key: "gone", operator: "Exists", tolerationSeconds: 5 },
  }, true],
  ["another value", { key: "gone", value: "no" }, false],
  ["no value", { key: "gone" }, false],
  ["another key", { key: "here", operator: "Exists" }, false],
  ["another effect", { operator: "Exists", effect: "NoSchedule" }, false],
  ["what no operator says", {
    ...{ key: "gone", operator: "Near", value: "yes" },
  }, false],
];

const TAINTED: readonly AdmissionRow[] = [
  {
    title: "a pod that tolerates nothing, and a taint NoExecute",
    pod: {},
    node: { taints: [GONE] },
    reason: "TaintToleration",
  },
  ...["NoSchedule", "PreferNoSchedule"].map((effect) => ({
    title: `a pod that tolerates nothing, and a taint ${effect}`,
    pod: {},
    node: { taints: [{ ...GONE, effect }] },
  })),
  {
    title: "a taint without a value",
    pod: { tolerations: [{ key: "gone" }] },
    node: { taints: [{ key: "gone", effect: "NoExecute" }] },
  },
  {
    title: "a pod that tolerates one of two taints",
    pod: { tolerations: [{ key: "gone", operator: "Exists" }] },
    node: { taints: [GONE, { ...GONE, key: "other" }] },
    reason: "TaintToleration",
  },
  ...["file", "http", "local"].map((source) => ({
    title: `its own, from ${source}, whatever keeps others away`,
    pod: {
      metadata: { annotations: { "kubernetes.io/config.source": source } },
    },
    node: { taints: [GONE] },
  })),
  ...TOLERATIONS.map(([title, toleration, isEnough]) => ({
    title: `a pod that tolerates ${title}`,
    pod: { tolerations: [toleration] },
    node: { taints: [GONE] },
    ...isEnough ? {} : { reason: "TaintToleration" },
  })),
];

const NODES: readonly AdmissionRow[] = [
  { title: "a selector that fits", pod: { nodeSelector: { disk: "ssd" } } },
  {
    title: "a selector of another value",
    pod: { nodeSelector: { disk: "hdd" } },
    ...NO,
  },
  {
    title: "a selector of a label that every object has",
    pod: { nodeSelector: { constructor: "x" } },
    ...NO,
  },
  {
    title: "a selector that fits only half",
    pod: { nodeSelector: { disk: "ssd", cores: "8" } },
    ...NO,
  },
  { title: "In", pod: expression("disk", "In", "hdd", "ssd") },
  { title: "In without it", pod: expression("disk", "In", "hdd"), ...NO },
  { title: "In of no label", pod: expression("gpu", "In", "x"), ...NO },
  { title: "NotIn", pod: expression("disk", "NotIn", "hdd") },
  { title: "NotIn with it", pod: expression("disk", "NotIn", "ssd"), ...NO },
  { title: "NotIn of no label", pod: expression("gpu", "NotIn", "x") },
  { title: "Exists", pod: expression("disk", "Exists") },
  { title: "Exists of no label", pod: expression("gpu", "Exists"), ...NO },
  { title: "DoesNotExist", pod: expression("gpu", "DoesNotExist") },
  {
    title: "DoesNotExist of a label",
    pod: expression("disk", "DoesNotExist"),
    ...NO,
  },
  { title: "Gt", pod: expression("cores", "Gt", "8") },
  { title: "Gt of as many", pod: expression("cores", "Gt", "16"), ...NO },
  { title: "Gt of two", pod: expression("cores", "Gt", "8", "9"), ...NO },
  { title: "Gt of a word", pod: expression("odd", "Gt", "8"), ...NO },
  { title: "Gt of no label", pod: expression("gpu", "Gt", "8"), ...NO },
  { title: "Gt than a word", pod: expression("cores", "Gt", "few"), ...NO },
  {
    title: "Gt than more than 64 bits hold",
    pod: expression("cores", "Gt", "-9223372036854775809"),
    ...NO,
  },
  { title: "Lt", pod: expression("cores", "Lt", "+17") },
  { title: "Lt of fewer", pod: expression("cores", "Lt", "8"), ...NO },
  { title: "an operator of tomorrow", pod: expression("a", "Near"), ...NO },
  { title: "the node's name", pod: field("In", "edge1") },
  { title: "another node's name", pod: field("In", "edge2"), ...NO },
  { title: "any but another node", pod: field("NotIn", "edge2") },
  { title: "any but this node", pod: field("NotIn", "edge1"), ...NO },
  { title: "two names", pod: field("In", "edge1", "edge2"), ...NO },
  {
    title: "a field that nodes do not have",
    pod: affine({
      matchFields: [{ key: "spec.x", operator: "In", values: ["1"] }],
    }),
    ...NO,
  },
  { title: "no term", pod: affine(), ...NO },
  { title: "an empty term", pod: affine({}), ...NO },
  {
    title: "the second of two terms",
    pod: affine(
      { matchExpressions: [{ key: "gpu", operator: "Exists" }] },
      {
        matchFields: [{
          key: "metadata.name",
          operator: "In",
          values: ["edge1"],
        }],
      },
    ),
  },
  {
    title: "half of a term",
    pod: affine({
      matchExpressions: [{ key: "disk", operator: "Exists" }],
      matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }],
    }),
    ...NO,
  },
  {
    title: "an affinity that fits and a selector that does not",
    pod: { ...expression("disk", "Exists"), nodeSelector: { gpu: "1" } },
    ...NO,
  },
  {
    title: "an affinity that is only preferred",
    pod: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{
            weight: 1,
            preference: {
              matchExpressions: [{ key: "gpu", operator: "Exists" }],
            },
          }],
        },
      },
    },
  },
  { title: "its own name", pod: { nodeName: "edge1" } },
  {
    title: "the name of another node",
    pod: { nodeName: "edge2" },
    reason: "NodeName",
  },
  {
    title: "any pod, while the machine goes down",
    pod: {},
    node: { isGoingDown: true },
    reason: "NodeShutdown",
  },
  ...["file", "http", "local"].map((source) => ({
    title: `its own, from ${source}, while the machine goes down`,
    pod: {
      metadata: { annotations: { "kubernetes.io/config.source": source } },
    },
    node: { isGoingDown: true },
  })),
  {
    title: "what it would refuse anyway, while the machine goes down",
    pod: { nodeName: "edge2" },
    node: { isGoingDown: true },
    reason: "NodeName",
  },
  ...TAINTED,
  {
    title: "what it would refuse anyway, with a taint that is not tolerated",
    pod: { nodeName: "edge2" },
    node: { taints: [GONE] },
    reason: "NodeName",
  },
  { title: "its own system", pod: { os: { name: "linux" } } },
  {
    title: "another system",
    pod: { os: { name: "windows" } },
    reason: "PodOSNotSupported",
  },
  {
    title: "a label of its own system",
    pod: { metadata: { labels: { "kubernetes.io/os": "linux" } } },
  },
  {
    title: "a label of another system",
    pod: { metadata: { labels: { "kubernetes.io/os": "windows" } } },
    reason: "PodOSSelectorNodeLabelDoesNotMatch",
  },
  {
    title: "a kernel setting that is not allowed",
    pod: {
      securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] },
    },
    reason: "SysctlForbidden",
  },
  {
    title: "a kernel setting that the node allows",
    pod: {
      securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] },
    },
    node: { allowedUnsafeSysctls: ["kernel.msg*"] },
  },
];

testRows(NODES);

const MESSAGES: readonly (AdmissionRow & { readonly message: string })[] = [
  {
    title: "what of CPU is missing in millicores",
    pod: asking({ cpu: "9" }),
    others: [asking({ cpu: "250m" })],
    reason: "OutOfcpu",
    message:
      "Node didn't have enough resource: cpu, requested: 9000, used: 250, capacity: 2000",
  },
  {
    title: "what of memory is missing in bytes",
    pod: asking({ memory: "9Ti" }),
    reason: "OutOfmemory",
    message:
      "Node didn't have enough resource: memory, requested: 9895604649984, used: 0, capacity: 1073741824",
  },
  {
    title: "that there is no place",
    pod: {},
    others: [{}, {}, {}],
    reason: "OutOfpods",
    message:
      "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
  },
  {
    title: "that the node is another one",
    pod: { nodeSelector: { disk: "hdd" } },
    reason: "NodeAffinity",
    message:
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  },
  {
    title: "that the node has another name",
    pod: { nodeName: "b" },
    reason: "NodeName",
    message:
      "Predicate NodeName failed: node(s) didn't match the requested node name",
  },
  {
    title: "that a port is taken",
    pod: listening({ hostPort: 80 }),
    others: [listening({ hostPort: 80 })],
    reason: "NodePorts",
    message:
      "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  },
  {
    title: "that the system is another one",
    pod: { os: { name: "windows" } },
    reason: "PodOSNotSupported",
    message: "Failed to admit pod as the OS field doesn't match node OS",
  },
  {
    title: "that a kernel setting is forbidden",
    pod: {
      securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] },
    },
    reason: "SysctlForbidden",
    message: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
  },
];
for (const row of MESSAGES) {
  const { title, reason, message } = row;
  Deno.test(`admit() says ${title}`, () => {
    const found = judge(row);
    deepStrictEqual([found?.reason, found?.message], [reason, message]);
  });
}

Deno.test("admit() says of several objections the first in upstream's order", () => {
  const rejection = judge({
    pod: {
      ...asking({ cpu: "9" }),
      nodeName: "b",
      nodeSelector: { gpu: "1" },
      os: { name: "windows" },
    },
  });
  strictEqual(rejection?.reason, "PodOSNotSupported");
});
