/**
 * What of a pod's dead containers and sandboxes may go.
 *
 * @module
 */

import type {
  ObservedContainer,
  ObservedPod,
  ObservedSandbox,
} from "../../pod/observed/mod.ts";

/** What is removed of a pod that lives on. */
export interface Leftovers {
  readonly containers: readonly ObservedContainer[];
  readonly sandboxes: readonly ObservedSandbox[];
}

/**
 * Decides what of a living pod is removed: of each container name all dead ones but
 * the newest, whose end the status and the logs still show; of the sandboxes those
 * that are neither ready, nor the newest, nor hold a container that stays. Pure.
 *
 * Upstream: pkg/kubelet/kuberuntime/kuberuntime_gc.go with its defaults.
 */
export function findLeftovers(pod: ObservedPod): Leftovers {
  const kept = new Set<string>();
  const containers: ObservedContainer[] = [];
  for (const container of pod.containers) {
    if (container.state === "running") continue;
    if (kept.has(container.name)) containers.push(container);
    kept.add(container.name);
  }
  const removed = new Set(containers);
  const inUse = new Set(
    pod.containers.filter((container) => !removed.has(container))
      .map((container) => container.sandboxId),
  );
  const sandboxes = pod.sandboxes.slice(1)
    .filter(({ id, ready }) => !ready && !inUse.has(id));
  return { containers, sandboxes };
}
