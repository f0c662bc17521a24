/**
 * The objects by which a cluster knows its nodes, as types. Nothing here has code that runs.
 *
 * @example A node
 * ```ts
 * import type { Node } from "./mod.ts";
 *
 * const node: Node = {
 *   apiVersion: "v1",
 *   kind: "Node",
 *   metadata: { name: "kiosk-1", namespace: "", uid: "u1" },
 *   spec: {},
 * };
 * node satisfies { readonly kind: "Node" };
 * ```
 *
 * @module
 */

export type {
  Lease,
  Node,
  NodeCondition,
  NodeStatus,
  Taint,
} from "./cluster.ts";
