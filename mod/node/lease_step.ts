/**
 * What is to be done about a node's lease. Pure.
 *
 * The rules are those of upstream's k8s.io/component-helpers/apimachinery/lease; that two
 * agents of one name notice each other is this agent's.
 *
 * @module
 */

import type { Lease, Node } from "../api/cluster/mod.ts";
import type { OwnerReference } from "../api/workload/mod.ts";
import type { NewLease } from "./ports.ts";

/** Where the leases of nodes are. */
export const LEASE_NAMESPACE = "kube-node-lease";

/** On the lease: which agent writes it. The holder is the node, also with two of that name. */
const AGENT = "skerry.dev/agent";

/** Whose lease it is, and for how long. */
export interface LeaseOwner {
  readonly nodeName: string;
  /** Another one for each root directory. */
  readonly agentId: string;
  readonly durationSeconds: number;
}

/** A lease of another agent, as it was when it was seen first. */
export interface ForeignLease {
  readonly agentId: string;
  readonly renewTime: string;
  /** On the monotonic clock: clocks of two machines differ. */
  readonly sinceMs: number;
}

/** The other agent that writes a lease, as far as it is known; `undefined` when it is none. */
export function foreignLease(
  { metadata: { annotations = {} }, spec }: Lease,
  { agentId }: Pick<LeaseOwner, "agentId">,
  seen: { readonly before: ForeignLease | undefined; readonly nowMs: number },
): ForeignLease | undefined {
  const writer = annotations[AGENT];
  // A kubelet writes none; it was here before, or is to be told by its node.
  if (writer === undefined || writer === agentId) return undefined;
  const renewTime = spec.renewTime ?? "";
  const { before, nowMs } = seen;
  const isSame = before?.agentId === writer && before.renewTime === renewTime;
  return isSame ? before : { agentId: writer, renewTime, sinceMs: nowMs };
}

/** For how long another agent's lease still holds, in milliseconds; 0 when it does not. */
export function heldForMs(
  { sinceMs }: ForeignLease,
  { durationSeconds }: Pick<LeaseOwner, "durationSeconds">,
  nowMs: number,
): number {
  return Math.max(0, sinceMs + durationSeconds * 1_000 - nowMs);
}

/** The lease that a node has not got yet; the node must be known, so that it goes with it. */
export function newLease(
  owner: LeaseOwner,
  node: Pick<Node, "metadata">,
  nowMs: number,
): NewLease {
  const { nodeName, agentId, durationSeconds } = owner;
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: nodeName,
      namespace: LEASE_NAMESPACE,
      annotations: { [AGENT]: agentId },
      ownerReferences: ownerReferences(node),
    },
    spec: {
      holderIdentity: nodeName,
      leaseDurationSeconds: durationSeconds,
      renewTime: microTime(nowMs),
    },
  };
}

/** The lease with another sign of life. */
export function renewedLease(
  lease: Lease,
  { agentId, nodeName, durationSeconds }: LeaseOwner,
  now: {
    readonly nowMs: number;
    readonly node: Pick<Node, "metadata"> | undefined;
  },
): Lease {
  const { metadata, spec } = lease;
  const owners = metadata.ownerReferences ?? [];
  return {
    ...lease,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [AGENT]: agentId },
      ...(owners.length === 0 && now.node !== undefined &&
        { ownerReferences: ownerReferences(now.node) }),
    },
    spec: {
      ...spec,
      holderIdentity: nodeName,
      leaseDurationSeconds: durationSeconds,
      renewTime: microTime(now.nowMs),
    },
  };
}

function ownerReferences(
  { metadata: { name, uid } }: Pick<Node, "metadata">,
): readonly OwnerReference[] {
  return [{ apiVersion: "v1", kind: "Node", name, uid }];
}

/** RFC 3339 with six digits of a second, as metav1.MicroTime. */
function microTime(nowMs: number): string {
  return new Date(nowMs).toISOString().replace("Z", "000Z");
}
