/**
 * Events about one container of a pod.
 *
 * @module
 */

import type { EventSink, Pod, PodEvent } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";

/** Records events about the containers of one pod. */
export class ContainerEvents {
  readonly #sink: EventSink;
  readonly #pod: Pod;

  constructor(sink: EventSink, pod: Pod) {
    this.#sink = sink;
    this.#pod = pod;
  }

  /** Records something that went as it should. */
  normal(container: string, reason: string, message: string): void {
    this.record(container, { type: "Normal", reason, message });
  }

  /** Records something that did not. */
  warning(container: string, reason: string, message: string): void {
    this.record(container, { type: "Warning", reason, message });
  }

  /** Records any event about a container. */
  record(container: string, event: PodEvent): void {
    const fieldPath = containerFieldPath(this.#pod, container);
    this.#sink.record(podRef(this.#pod), { ...event, fieldPath });
  }
}

/** Says that a container that crashed is not started yet (kuberuntime: doBackOff). */
export function restartBackOffText(pod: Pod, container: string): string {
  const { name, namespace, uid } = pod.metadata;
  return `Back-off restarting failed container ${container} in pod ${name}_${namespace}(${uid})`;
}

/** The part of the spec that a container is: `spec.initContainers{name}`. Pure. */
function containerFieldPath(
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
