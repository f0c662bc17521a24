/**
 * The restart of all containers of a pod in place, asked for by an exit code rule.
 *
 * @module
 */

import { findContainer } from "../../api/vocabulary/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { type ObservedPod, resetRequests } from "../observed/mod.ts";

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
  const [last] = resetRequests(pod, observed)
    .toSorted((a, b) => Number(b.finishedAt - a.finishedAt));
  return last && findContainer(pod, last.name);
}

/**
 * Lists the records to remove when all containers restart; empty when they do not.
 *
 * Those whose exit asked for it come last, so that a reset cut short is taken up
 * again: app containers before init containers, each in spec order.
 */
export function planReset(pod: Pod, observed: ObservedPod): ResetStep[] {
  const asking = resetRequests(pod, observed);
  if (asking.length === 0) return [];
  const targets = [...pod.spec.containers, ...pod.spec.initContainers ?? []]
    .flatMap(({ name }) =>
      observed.containers.filter((seen) =>
        seen.name === name && !asking.includes(seen)
      )
    );
  return [...targets, ...asking].map(({ id, name, state }) => ({
    containerId: id,
    containerName: name,
    kill: state === "running" || state === "unknown",
  }));
}
