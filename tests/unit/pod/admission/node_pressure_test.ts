/**
 * Which pods a node takes that runs short.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { container, type PodDraft } from "../../../support/pods.ts";
import {
  type AdmissionRow,
  judge,
} from "../../../support/pod/admission_rows.ts";

function asking(requests: Readonly<Record<string, string>>): PodDraft {
  return { containers: [container("a", { resources: { requests } })] };
}

const MEMORY_SHORT = { node: { pressures: ["MemoryPressure"] } } as const;
const DISK_SHORT = { node: { pressures: ["DiskPressure"] } } as const;
const BOTH_SHORT = {
  node: { pressures: ["MemoryPressure", "DiskPressure"] },
} as const;
const SHORT = { reason: "Evicted" };
const CRITICAL = { priority: 2_000_000_000 };

function tolerating(
  toleration: Readonly<Record<string, string>>,
): PodDraft {
  return { tolerations: [toleration] };
}

const KEY = "node.kubernetes.io/memory-pressure";

const PRESSURES: readonly AdmissionRow[] = [
  { title: "any pod without a shortage", pod: {}, node: { pressures: [] } },
  { title: "a pod that asks for nothing", pod: {}, ...MEMORY_SHORT, ...SHORT },
  {
    title: "a pod that asks for memory",
    pod: asking({ memory: "1Mi" }),
    ...MEMORY_SHORT,
  },
  {
    title: "a critical pod",
    pod: CRITICAL,
    ...BOTH_SHORT,
  },
  {
    title: "a pod short of critical",
    pod: { priority: 1_999_999_999 },
    ...MEMORY_SHORT,
    ...SHORT,
  },
  {
    title: "a pod that tolerates it",
    pod: tolerating({ key: KEY, operator: "Exists", effect: "NoSchedule" }),
    ...MEMORY_SHORT,
  },
  {
    title: "a pod that tolerates it with every effect",
    pod: tolerating({ key: KEY }),
    ...MEMORY_SHORT,
  },
  {
    title: "a pod that tolerates everything",
    pod: tolerating({ operator: "Exists" }),
    ...MEMORY_SHORT,
  },
  {
    title: "a pod that tolerates its execution only",
    pod: tolerating({ operator: "Exists", effect: "NoExecute" }),
    ...MEMORY_SHORT,
    ...SHORT,
  },
  {
    title: "a pod that tolerates another value",
    pod: tolerating({ key: KEY, operator: "Equal", value: "x" }),
    ...MEMORY_SHORT,
    ...SHORT,
  },
  {
    title: "a pod that tolerates another shortage",
    pod: tolerating({ key: "node.kubernetes.io/disk-pressure" }),
    ...MEMORY_SHORT,
    ...SHORT,
  },
  {
    title: "a pod without key that tolerates nothing",
    pod: tolerating({ effect: "NoSchedule" }),
    ...MEMORY_SHORT,
    ...SHORT,
  },
  {
    title: "a pod that asks for memory where the disk is short",
    pod: asking({ memory: "1Mi" }),
    ...DISK_SHORT,
    ...SHORT,
  },
  {
    title: "a pod that tolerates the lack of memory where the disk is short",
    pod: tolerating({ key: KEY }),
    ...BOTH_SHORT,
    ...SHORT,
  },
];
for (const row of PRESSURES) {
  Deno.test(`admit() judges ${row.title} on a node with ${row.node?.pressures?.join(" and ") || "enough"}`, () => {
    strictEqual(judge(row)?.reason, row.reason);
  });
}

Deno.test("admit() says all that a node runs short of, before any other objection", () => {
  const pod = { ...asking({ cpu: "9" }), os: { name: "windows" } };
  deepStrictEqual(judge({ pod, ...BOTH_SHORT }), {
    reason: "Evicted",
    message: "The node had condition: [MemoryPressure DiskPressure]. ",
    found: "MemoryPressure DiskPressure",
  });
});
