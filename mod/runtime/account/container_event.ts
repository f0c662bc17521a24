/**
 * Events about one container of a pod.
 *
 * @module
 */

import type { EventSink, Pod, PodEvent } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";

/** Tells events about the containers of one pod. */
export class ContainerEvents {
  readonly #sink: EventSink;
  readonly #pod: Pod;

  constructor(sink: EventSink, pod: Pod) {
    this.#sink = sink;
    this.#pod = pod;
  }

  /** Tells an event about the pod as a whole. */
  pod(event: PodEvent): void {
    this.#sink.record(podRef(this.#pod), event);
  }

  /** Tells of something that went as it should. */
  normal(container: string, reason: string, message: string): void {
    this.pod({
      type: "Normal",
      reason,
      message,
      fieldPath: containerFieldPath(this.#pod, container),
    });
  }

  /** Tells of something that did not. */
  warning(container: string, reason: string, message: string): void {
    this.pod({
      type: "Warning",
      reason,
      message,
      fieldPath: containerFieldPath(this.#pod, container),
    });
  }
}

/** Says that a container that crashed is not started yet (kuberuntime: doBackOff). */
export function restartBackOffText(pod: Pod, container: string): string {
  const { name, namespace, uid } = pod.metadata;
  return `Back-off restarting failed container ${container} in pod ${name}_${namespace}(${uid})`;
}

/** The part of the spec that a container is: `spec.initContainers{name}`. Pure. */
export function containerFieldPath(
  pod: Pick<Pod, "spec">,
  name: string,
): string {
  const { initContainers = [], ephemeralContainers = [] } = pod.spec;
  if (initContainers.some((container) => container.name === name)) {
    return `spec.initContainers{${name}}`;
  }
  if (ephemeralContainers.some((container) => container.name === name)) {
    return `spec.ephemeralContainers{${name}}`;
  }
  return `spec.containers{${name}}`;
}
