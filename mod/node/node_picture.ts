/**
 * What the agent knows of its node.
 *
 * @module
 */

import type { NodeStatus, Taint } from "../api/cluster/mod.ts";
import type { NodePressure } from "../pod/admission/mod.ts";

/** Names and amounts, as quantities. */
export type ResourceAmounts = Readonly<Record<string, string>>;

/** The node as it is now; what it is to be called is settled for good. */
export interface NodePicture {
  /**
   * The primary one of each family first, then the name of the host; absent while none can
   * be told.
   */
  readonly addresses?: NonNullable<NodeStatus["addresses"]>;
  readonly capacity: ResourceAmounts;
  /** Of that, what pods may have. */
  readonly allocatable: ResourceAmounts;
  /** Without a version of the runtime as long as that has never answered. */
  readonly info: NonNullable<NodeStatus["nodeInfo"]>;
  /** Where the agent answers the API server; absent when it does not. */
  readonly port?: number;
  /** In any order; absent while they are not known. */
  readonly images?: readonly NodeImage[];
  readonly runtimeHandlers: NonNullable<NodeStatus["runtimeHandlers"]>;
  /** What the runtime can do; absent while it is not known. */
  readonly features?: NonNullable<NodeStatus["features"]>;
  readonly pressures: readonly NodePressure[];
  /** Why the node cannot run pods, one sentence each; none when it can. */
  readonly notReady: readonly string[];
}

/** An image that the node has. */
export interface NodeImage {
  readonly digests: readonly string[];
  readonly tags: readonly string[];
  readonly sizeBytes: number;
}

/** What a node is called and how it registers. */
export interface NodeIdentity {
  readonly name: string;
  /** Those that it gets when it is registered first (`--node-labels`). */
  readonly labels: Readonly<Record<string, string>>;
  /** Those that every node has, kept as they should be. */
  readonly ownLabels: Readonly<Record<string, string>>;
  /** When it is registered first (`registerWithTaints`). */
  readonly taints: readonly Taint[];
  readonly providerId?: string;
}
