/**
 * Whether a node takes a pod.
 *
 * @module
 */

import type { Taint } from "../../api/cluster/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { Quantity } from "../../api/objects/mod.ts";
import { isLocalPod, isStaticPod } from "../../api/vocabulary/mod.ts";
import { matchesNode } from "./admission_affinity.ts";
import { hasPortConflict } from "./admission_ports.ts";
import {
  insufficientResource,
  type ResourceRejection,
} from "./admission_resources.ts";
import {
  isRefusedForPressure,
  type NodePressure,
  PRESSURE_REASON,
} from "./node_pressure.ts";
import { SYSCTL_REASON, sysctlProblems } from "./sysctls.ts";
import { isTolerated } from "./tolerations.ts";

/** What a node offers to the pods that are to run on it. */
export interface AdmissionNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What keeps pods of a cluster away. @default none */
  readonly taints?: readonly Taint[];
  /** By resource name; what is not named is not checked. `pods` is the most pods at once. */
  readonly allocatable: ReadonlyMap<string, Quantity>;
  /** Patterns such as `kernel.msg*` (kubelet: allowedUnsafeSysctls). */
  readonly allowedUnsafeSysctls: readonly string[];
  /** What it runs short of. @default none */
  readonly pressures?: readonly NodePressure[];
  /** Whether its machine goes down. @default false */
  readonly isGoingDown?: boolean;
}

/** Why a node does not take a pod; the message is the kubelet's. */
export type Rejection =
  | {
    readonly reason: RejectionReason;
    readonly message: string;
    /** The message without the kubelet's name for the check; absent where it has none. */
    readonly found?: string;
  }
  | ResourceRejection;

/** What a node may have against a pod, beside its resources. */
export type RejectionReason =
  | "NodeAffinity"
  | "NodeName"
  | "NodePorts"
  | "NodeShutdown"
  | "PodOSNotSupported"
  | "PodOSSelectorNodeLabelDoesNotMatch"
  | "TaintToleration"
  | typeof PRESSURE_REASON
  | typeof SYSCTL_REASON;

/** One pod that asks to be taken. */
export interface AdmissionRequest {
  readonly pod: Pod;
  /** The pods that hold their share of the node already. */
  readonly others: readonly Pod[];
  readonly node: AdmissionNode;
}

/** The label by which a pod or a node names its operating system. */
const OS_LABEL = "kubernetes.io/os";

/** The only operating system that this agent runs on. */
const NODE_OS = "linux";

/**
 * Judges one pod; the first objection decides. `undefined` when the node takes it.
 *
 * Upstream: pkg/kubelet/lifecycle/predicate.go and the order of admission handlers
 * in pkg/kubelet/kubelet.go. No pod is ended to make room for another, so a critical pod is
 * refused, too, with what the node lacks; only a shortage of the node itself spares it.
 */
export function admit(request: AdmissionRequest): Rejection | undefined {
  for (const check of CHECKS) {
    const rejection = check(request);
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}

const CHECKS: readonly ((
  request: AdmissionRequest,
) => Rejection | undefined)[] = [
  checkPressure,
  checkSysctls,
  checkOsLabel,
  checkOsField,
  ({ pod, others, node }) => insufficientResource(pod, others, node),
  ({ pod, node }) =>
    matchesNode(pod, node) ? undefined : predicateFailed(
      "NodeAffinity",
      "node(s) didn't match Pod's node affinity/selector",
    ),
  checkNodeName,
  ({ pod, others }) =>
    hasPortConflict(pod, others)
      ? predicateFailed(
        "NodePorts",
        "node(s) didn't have free ports for the requested pod ports",
      )
      : undefined,
  checkTaints,
  checkShutdown,
];

function checkPressure({ pod, node }: AdmissionRequest): Rejection | undefined {
  const { pressures = [] } = node;
  if (!isRefusedForPressure(pod, pressures)) return undefined;
  const found = pressures.join(" ");
  // With a blank at its end, as upstream's.
  const message = `The node had condition: [${found}]. `;
  return { reason: PRESSURE_REASON, message, found };
}

function checkSysctls({ pod, node }: AdmissionRequest): Rejection | undefined {
  const [first] = sysctlProblems(pod, node.allowedUnsafeSysctls);
  if (first === undefined) return undefined;
  return { reason: SYSCTL_REASON, message: first };
}

function checkOsLabel({ pod }: AdmissionRequest): Rejection | undefined {
  const wanted = pod.metadata.labels?.[OS_LABEL];
  // Upstream too takes what the node runs for its label, whatever the label says.
  if (wanted === undefined || wanted === NODE_OS) return undefined;
  return {
    reason: "PodOSSelectorNodeLabelDoesNotMatch",
    message:
      "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
  };
}

function checkOsField({ pod }: AdmissionRequest): Rejection | undefined {
  const wanted = pod.spec.os?.name;
  if (wanted === undefined || wanted === NODE_OS) return undefined;
  return {
    reason: "PodOSNotSupported",
    message: "Failed to admit pod as the OS field doesn't match node OS",
  };
}

/** Those of the cluster only; what only keeps schedulers away does not count. */
function checkTaints({ pod, node }: AdmissionRequest): Rejection | undefined {
  const { taints = [] } = node;
  const isTaken = isStaticPod(pod) || isLocalPod(pod) ||
    taints.filter(({ effect }) => effect === "NoExecute")
      .every((taint) => isTolerated(taint, pod));
  return isTaken ? undefined : predicateFailed(
    "TaintToleration",
    "node(s) had taints that the pod didn't tolerate",
  );
}

/** Those of the cluster only: others start with the machine, on no other node. */
function checkShutdown({ pod, node }: AdmissionRequest): Rejection | undefined {
  const isTaken = node.isGoingDown !== true || isStaticPod(pod) ||
    isLocalPod(pod);
  return isTaken ? undefined : {
    reason: "NodeShutdown",
    message: "Pod was rejected as the node is shutting down.",
  };
}

function checkNodeName({ pod, node }: AdmissionRequest): Rejection | undefined {
  const { nodeName = "" } = pod.spec;
  return nodeName === "" || nodeName === node.name
    ? undefined
    : predicateFailed(
      "NodeName",
      "node(s) didn't match the requested node name",
    );
}

function predicateFailed(reason: RejectionReason, found: string): Rejection {
  return { reason, message: `Predicate ${reason} failed: ${found}`, found };
}
