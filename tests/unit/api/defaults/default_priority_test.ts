import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  applyPriority,
  type PriorityClass,
} from "../../../../mod/api/defaults/mod.ts";
import type { PodSpec } from "../../../../mod/api/types/mod.ts";

function priorityClass(
  name: string,
  value: number,
  draft: Partial<PriorityClass> = {},
): PriorityClass {
  return {
    kind: "PriorityClass",
    name,
    value,
    globalDefault: false,
    preemptionPolicy: "PreemptLowerPriority",
    description: "",
    ...draft,
  };
}

const HIGH = priorityClass("high", 1000, { preemptionPolicy: "Never" });
const USUAL = priorityClass("usual", 7, { globalDefault: true });
const OTHER = priorityClass("other", 5, { globalDefault: true });
const POLICY = "PreemptLowerPriority";

/** What is written, the classes, and what a pod has then. */
const ROWS: readonly (readonly [
  string,
  Partial<PodSpec>,
  readonly PriorityClass[],
  Partial<PodSpec>,
])[] = [
  ["nothing where there is no class", {}, [], {}],
  ["nothing where none is the default", {}, [HIGH], {}],
  ["that of its class", { priorityClassName: "high" }, [USUAL, HIGH], {
    priority: 1000,
    priorityClassName: "high",
    preemptionPolicy: "Never",
  }],
  ["that of the default class", {}, [HIGH, USUAL], {
    priority: 7,
    priorityClassName: "usual",
    preemptionPolicy: POLICY,
  }],
  [
    "that of the default class for an empty name",
    { priorityClassName: "" },
    [USUAL],
    { priority: 7, priorityClassName: "usual", preemptionPolicy: POLICY },
  ],
  ["that of the lower of two default classes", {}, [USUAL, OTHER], {
    priority: 5,
    priorityClassName: "other",
    preemptionPolicy: POLICY,
  }],
  [
    "its own policy beside the priority of its class",
    { priorityClassName: "high", preemptionPolicy: POLICY },
    [HIGH],
    { priority: 1000, priorityClassName: "high", preemptionPolicy: POLICY },
  ],
  [
    "its own priority",
    { priority: 0, priorityClassName: "high" },
    [HIGH, USUAL],
    { priority: 0, priorityClassName: "high" },
  ],
  [
    "none of a class that is not known",
    { priorityClassName: "gone" },
    [HIGH, USUAL],
    { priorityClassName: "gone" },
  ],
  [
    "that of a class of the system",
    { priorityClassName: "system-node-critical" },
    [],
    { priorityClassName: "system-node-critical", priority: 2_000_001_000 },
  ],
  [
    "that of the other class of the system",
    { priorityClassName: "system-cluster-critical" },
    [priorityClass("system-cluster-critical", 1)],
    { priorityClassName: "system-cluster-critical", priority: 2_000_000_000 },
  ],
];
for (const [what, written, classes, filled] of ROWS) {
  Deno.test(`applyPriority() gives a pod ${what}`, () => {
    const metadata = { name: "p", namespace: "d", uid: "u" };
    const containers = [{ name: "c", image: "i" }];
    const spec = { containers, ...written };
    const pod = { apiVersion: "v1", kind: "Pod", metadata, spec } as const;
    const completed = applyPriority(pod, classes);
    deepStrictEqual(completed, { ...pod, spec: { containers, ...filled } });
    if (filled.priority === written.priority) strictEqual(completed, pod);
  });
}
