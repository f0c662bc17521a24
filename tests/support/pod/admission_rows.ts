/**
 * Pods and a node for the tests of admission.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { parseQuantity, type Quantity } from "../../../mod/api/objects/mod.ts";
import {
  type AdmissionNode,
  admit,
  type Rejection,
} from "../../../mod/pod/admission/admit.ts";
import { container, type PodDraft, podOfThree } from "../pods.ts";

/** The node unless a row says otherwise. */
const NODE: AdmissionNode = {
  name: "edge1",
  labels: {
    "kubernetes.io/os": "linux",
    "kubernetes.io/hostname": "edge1",
    disk: "ssd",
    cores: "16",
    odd: "sixteen",
  },
  allocatable: amounts({ cpu: "2", memory: "1Gi", pods: "3" }),
  allowedUnsafeSysctls: [],
};

/** One pod, those beside it, and what the node says of it. */
export interface AdmissionRow {
  readonly title: string;
  readonly pod: PodDraft;
  readonly others?: readonly PodDraft[];
  readonly node?: Partial<AdmissionNode>;
  /** The reason; `undefined` when the pod is taken. */
  readonly reason?: string;
}

/** What the node says of the pod of a row. */
export function judge(
  { pod: options, others = [], node = {} }: Omit<AdmissionRow, "title">,
): Rejection | undefined {
  return admit({
    pod: podOfThree(options),
    others: others.map((other, index) =>
      podOfThree({
        ...other,
        metadata: { name: `other${index}`, uid: `o${index}` },
      })
    ),
    node: { ...NODE, ...node },
  });
}

/** Quantities as written. */
export function amounts(
  list: Readonly<Record<string, string>>,
): ReadonlyMap<string, Quantity> {
  return new Map(
    Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]),
  );
}

/** A pod with one container that asks for things. */
export function asking(requests: Readonly<Record<string, string>>): PodDraft {
  return { containers: [container("a", { resources: { requests } })] };
}

/** A port of a container. */
interface Port {
  readonly hostPort: number;
  readonly protocol?: string;
  readonly hostIP?: string;
}

/** A pod with one container that has ports. */
export function listening(...ports: readonly Port[]): PodDraft {
  return {
    containers: [
      container("a", {
        ports: ports.map((port) => ({ containerPort: 80, ...port })),
      }),
    ],
  };
}

/** One test a row. */
export function testRows(rows: readonly AdmissionRow[]): void {
  for (const row of rows) {
    const verb = row.reason === undefined ? "takes" : "refuses";
    Deno.test(`admit() ${verb} ${row.title}`, () => {
      strictEqual(judge(row)?.reason, row.reason);
    });
  }
}
