/**
 * Which pod a Service leads to.
 *
 * @module
 */

import { matchesLabels } from "../../api/access/mod.ts";
import type { LocalObject } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { isRestartableInit } from "../../api/vocabulary/mod.ts";

/** A Service of a manifest. */
export type DeclaredService = Extract<
  LocalObject,
  { readonly kind: "Service" }
>;
type PortOfService = DeclaredService["ports"][number];

/** A pod that may serve, as it is now. */
export interface ServingPod {
  readonly pod: Pod;
  /** Its primary address, the node's for a pod on its network; `undefined` while it has none. */
  readonly address: string | undefined;
  readonly isReady: boolean;
  /** When the agent took it, in milliseconds of the wall clock. */
  readonly startedMs: number;
}

/** A port of a Service, and where it is found. */
export interface TargetPort extends Omit<PortOfService, "targetPort"> {
  /** Where the pod listens. */
  readonly target: number;
}

/** A Service, and the pod that it leads to. */
export interface ServiceTarget
  extends Pick<DeclaredService, "name" | "namespace"> {
  readonly address: string;
  /** In the order of the Service, without those that the pod does not have. */
  readonly ports: readonly TargetPort[];
  /** Whether pods of every namespace are told of it, also those that want no other. */
  readonly isForAll?: true;
}

/**
 * Where a Service of a cluster is found: at the address that the cluster gave it.
 *
 * @returns `undefined` for one that has none
 */
export function clusterServiceTarget(
  { name, namespace, address, ports }: DeclaredService,
): ServiceTarget | undefined {
  if (address === undefined) return undefined;
  return {
    name,
    namespace,
    address,
    ports: ports.map(({ targetPort: _of, ...port }) => ({
      ...port,
      target: port.port,
    })),
    // The API server itself (upstream: masterServices of pkg/kubelet/kubelet_pods.go).
    ...(namespace === "default" && name === "kubernetes" && { isForAll: true }),
  };
}

/**
 * Finds the pod of a Service: of those that it selects and that are ready, the oldest one
 * that has one of its ports, or any if the Service has no ports. A pod that becomes ready
 * later changes nothing, so the choice lasts as long as the pod is ready.
 *
 * Since there is no proxy, a program has to go to the pod itself.
 *
 * @returns `undefined` while there is none
 */
export function serviceTarget(
  service: DeclaredService,
  pods: readonly ServingPod[],
): ServiceTarget | undefined {
  const { name, namespace, ports } = service;
  const candidates = pods.filter((each) => serves(each, service))
    .sort(byAge);
  for (const { pod, address } of candidates) {
    if (address === undefined) continue;
    const found = ports.flatMap((port) => targetPort(port, pod) ?? []);
    if (found.length === 0 && ports.length > 0) continue;
    return { name, namespace, address, ports: found };
  }
  return undefined;
}

function serves(
  { pod, isReady }: ServingPod,
  service: DeclaredService,
): boolean {
  return (isReady || service.publishNotReadyAddresses) &&
    isSelected(pod, service);
}

/** Whether a Service means a pod, ready or not. */
export function isSelected(
  { metadata }: Pod,
  { namespace, selector }: DeclaredService,
): boolean {
  return metadata.namespace === namespace &&
    matchesLabels({ matchLabels: selector }, metadata.labels);
}

/** The oldest first; of two that came at one time, the first by name. */
function byAge(a: ServingPod, b: ServingPod): number {
  if (a.startedMs !== b.startedMs) return a.startedMs - b.startedMs;
  return a.pod.metadata.name < b.pod.metadata.name ? -1 : 1;
}

/**
 * Upstream: pkg/api/v1/pod FindPort, where a sidecar's ports count, too.
 */
function targetPort(
  { targetPort, ...port }: PortOfService,
  { spec }: Pod,
): TargetPort | undefined {
  if (typeof targetPort === "number") return { ...port, target: targetPort };
  const { containers, initContainers = [] } = spec;
  const found = [...containers, ...initContainers.filter(isRestartableInit)]
    .flatMap(({ ports = [] }) => ports)
    .find(({ name, protocol = "TCP" }) =>
      name === targetPort && protocol === port.protocol
    );
  return found && { ...port, target: found.containerPort };
}
