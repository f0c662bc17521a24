/**
 * Objects by which a cluster knows its nodes, as plain read-only data.
 *
 * @module
 */

import type {
  V1LeaseSpec,
  V1NodeCondition,
  V1NodeSpec,
  V1NodeStatus,
  V1Taint,
} from "@kubernetes/client-node";
import type { Wire } from "../types/mod.ts";
import type { ApiObject } from "../workload/mod.ts";

/** What a node is. */
export type NodeStatus = Wire<V1NodeStatus>;
/** One condition of a node, such as `Ready`. */
export type NodeCondition = Wire<V1NodeCondition>;
/** What keeps pods away from a node. */
export type Taint = Wire<V1Taint>;

/** `v1` Node. */
export interface Node extends ApiObject {
  readonly apiVersion: "v1";
  readonly kind: "Node";
  readonly spec: Wire<V1NodeSpec>;
  readonly status?: NodeStatus;
}

/** `coordination.k8s.io/v1` Lease: a node's sign of life. */
export interface Lease extends ApiObject {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly spec: Wire<V1LeaseSpec>;
}
