/**
 * The restart of all containers of a pod in place, asked for by an exit code rule.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import {
  asksForReset,
  currentContainer,
  type ObservedPod,
  restartAllIsDue,
} from "../observed/mod.ts";

/** One record to remove; its logs stay. */
export interface ResetStep {
  readonly containerId: string;
  readonly containerName: string;
  /** Whether it is stopped first, with no grace of its own. */
  readonly kill: boolean;
}

/** The container that asked last for the restart of all; `undefined` when none does. */
export function resetSource(
  pod: Pod,
  observed: ObservedPod,
): ContainerSpec | undefined {
  const all = [...pod.spec.containers, ...pod.spec.initContainers ?? []];
  let last: { container: ContainerSpec; finishedAt: bigint } | undefined;
  for (const container of all) {
    const seen = currentContainer(observed, container.name);
    if (seen === undefined || !asksForReset(container, pod, seen)) continue;
    if (last !== undefined && last.finishedAt >= seen.finishedAt) continue;
    last = { container, finishedAt: seen.finishedAt };
  }
  return last?.container;
}

/**
 * Lists the records to remove when all containers restart; empty when they do not.
 *
 * Those whose exit asked for it come last, so that a reset cut short is taken up
 * again: app containers before init containers, each in spec order.
 */
export function planReset(pod: Pod, observed: ObservedPod): ResetStep[] {
  if (!restartAllIsDue(pod, observed)) return [];
  const targets: ResetStep[] = [];
  const sources: ResetStep[] = [];
  const wanted = [...pod.spec.containers, ...pod.spec.initContainers ?? []];
  for (const container of wanted) {
    const current = currentContainer(observed, container.name);
    for (const seen of observed.containers) {
      if (seen.name !== container.name) continue;
      const step = {
        containerId: seen.id,
        containerName: seen.name,
        kill: seen.state === "running" || seen.state === "unknown",
      };
      const isSource = seen === current && asksForReset(container, pod, seen);
      (isSource ? sources : targets).push(step);
    }
  }
  return [...targets, ...sources];
}
