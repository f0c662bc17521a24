/**
 * The node as its cluster knows it: registered, with a status that is true, and alive.
 *
 * The status is written when something has changed, else every five minutes; the lease by a
 * loop of its own, so that nothing that is slow makes the node look dead. Conditions,
 * labels and amounts that others wrote stay. Nothing here knows HTTP.
 *
 * @example The conditions of a node that is well
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { nextStatus } from "./mod.ts";
 *
 * const picture = {
 *   addresses: [],
 *   capacity: { cpu: "2" },
 *   allocatable: { cpu: "2" },
 *   info: {
 *     architecture: "amd64",
 *     bootID: "b1",
 *     containerRuntimeVersion: "containerd://1.7.24",
 *     kernelVersion: "6.1.0",
 *     kubeProxyVersion: "",
 *     kubeletVersion: "v1.36.2",
 *     machineID: "m1",
 *     operatingSystem: "linux",
 *     osImage: "Debian",
 *     systemUUID: "s1",
 *   },
 *   images: [],
 *   runtimeHandlers: [],
 *   pressures: [],
 *   notReady: [],
 * };
 * const how = { nowMs: 0, maxImages: 50, isFirst: true };
 * const { status } = nextStatus(undefined, picture, how);
 * deepStrictEqual(
 *   status.conditions?.map(({ type, status }) => `${type}=${status}`),
 *   [
 *     "MemoryPressure=False",
 *     "DiskPressure=False",
 *     "PIDPressure=False",
 *     "Ready=True",
 *   ],
 * );
 * ```
 *
 * @module
 */

export {
  LeaseKeeper,
  type LeaseKeeperDeps,
  type LeaseState,
} from "./lease_keeper.ts";
export { isKnownNode, type KnownNode, knownNode } from "./known_node.ts";
export { LEASE_NAMESPACE, type LeaseOwner } from "./lease_step.ts";
export { nextStatus, type NodeStatusNow } from "./node_object.ts";
export type {
  NodeIdentity,
  NodeImage,
  NodePicture,
  ResourceAmounts,
} from "./node_picture.ts";
export {
  NodeReporter,
  type NodeReporterDeps,
  type NodeReporterOptions,
  type NodeStanding,
} from "./node_reporter.ts";
export type { LeaseClient, NewLease, NewNode, NodeClient } from "./ports.ts";
