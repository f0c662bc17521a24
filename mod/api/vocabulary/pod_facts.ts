/**
 * Small questions about pods that many parts ask.
 *
 * @module
 */

import { ANNOTATION_CONFIG_SOURCE } from "./keys.ts";
import type { ContainerSpec, Pod } from "../types/mod.ts";

/** From here on a priority marks a pod as critical (scheduling.SystemCriticalPriority). */
export const CRITICAL_PRIORITY = 2_000_000_000;

/** True when the pod came from a file or a URL, neither from an API server nor a controller. */
export function isStaticPod(pod: Pick<Pod, "metadata">): boolean {
  const source = pod.metadata.annotations?.[ANNOTATION_CONFIG_SOURCE];
  return source !== undefined && source !== "api" && source !== "local";
}

/**
 * True when a controller of this node made the pod: where it fails for good, the controller
 * makes another.
 */
export function isLocalPod(pod: Pick<Pod, "metadata">): boolean {
  return pod.metadata.annotations?.[ANNOTATION_CONFIG_SOURCE] === "local";
}

/**
 * True when the pod's priority makes it critical: exempt from eviction.
 *
 * Unlike in the kubelet a static pod is not critical by its origin.
 */
export function isCriticalPod(pod: Pick<Pod, "spec">): boolean {
  return (pod.spec.priority ?? 0) >= CRITICAL_PRIORITY;
}

/** `name_namespace`: what is unique among the pods of one source. */
export function podFullName(pod: Pick<Pod, "metadata">): string {
  return `${pod.metadata.name}_${pod.metadata.namespace}`;
}

/** Which of the pods of one name is meant by it: the one that takes the place of those that end. */
export function lastingPod(pods: readonly Pod[]): Pod | undefined {
  return pods.findLast(({ metadata }) =>
    metadata.deletionTimestamp === undefined
  ) ?? pods.at(-1);
}

/** The directory of a pod's logs below the pod log directory: `<namespace>_<name>_<uid>`. */
export function logDirectoryName(pod: Pick<Pod, "metadata">): string {
  const { name, namespace, uid } = pod.metadata;
  return `${namespace}_${name}_${uid}`;
}

/** True for an init container with `restartPolicy: Always`: a sidecar that stays up. */
export function isRestartableInit(
  container: Pick<ContainerSpec, "restartPolicy">,
): boolean {
  return container.restartPolicy === "Always";
}

/** The containers that run as long as the pod does: sidecars, then app containers. */
export function servingContainers(
  { spec }: Pick<Pod, "spec">,
): readonly ContainerSpec[] {
  const { initContainers = [], containers } = spec;
  return [...initContainers.filter(isRestartableInit), ...containers];
}

/** The first container of that name: init, app or ephemeral. */
export function findContainer(
  pod: Pick<Pod, "spec">,
  name: string,
): ContainerSpec | undefined {
  const { initContainers = [], containers, ephemeralContainers = [] } =
    pod.spec;
  return [...initContainers, ...containers, ...ephemeralContainers]
    .find((container) => container.name === name);
}
