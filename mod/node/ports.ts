/**
 * What keeping a node known to its cluster needs of an API server.
 *
 * @module
 */

import type { StrategicPatch } from "../api/access/mod.ts";
import type { Lease, Node } from "../api/cluster/mod.ts";
import type { OwnerReference } from "../api/workload/mod.ts";

/** A node as it is sent first. */
export type NewNode = Omit<Node, "metadata"> & {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
};

/** The one node; every call throws `ApiFailure` when it is refused or does not get through. */
export interface NodeClient {
  get(signal: AbortSignal): Promise<Node>;
  create(node: NewNode, signal: AbortSignal): Promise<Node>;
  /** A strategic merge patch of status, labels and annotations by way of the status. */
  patchStatus(
    patch: { readonly metadata?: unknown; readonly status?: StrategicPatch },
    signal: AbortSignal,
  ): Promise<Node>;
}

/** A lease as it is sent first. */
export type NewLease = Omit<Lease, "metadata"> & {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations: Readonly<Record<string, string>>;
    readonly ownerReferences: readonly OwnerReference[];
  };
};

/** The node's lease; every call throws `ApiFailure` as well. */
export interface LeaseClient {
  get(signal: AbortSignal): Promise<Lease>;
  create(lease: NewLease, signal: AbortSignal): Promise<Lease>;
  /** Refused when its version is not the newest. */
  update(lease: Lease, signal: AbortSignal): Promise<Lease>;
}
