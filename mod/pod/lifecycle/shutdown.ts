/**
 * In which order pods end when the machine goes down.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";

/** Pods of this priority and above, up to that of the next group, end together. */
export interface ShutdownGroup {
  readonly priority: number;
  /** How long they have. */
  readonly graceSeconds: number;
}

/** What ends together, and how long it may take. */
export interface ShutdownStep<T> {
  readonly graceSeconds: number;
  readonly members: readonly T[];
}

/**
 * Sorts what runs into steps, the lowest priority first; a group without members takes no
 * time. What lies below the lowest group belongs to it. (kubelet: groupByPriority)
 *
 * @param groups in any order; none means that nothing is to end
 */
export function planShutdown<T extends { readonly pod: Pod | undefined }>(
  running: readonly T[],
  groups: readonly ShutdownGroup[],
): ShutdownStep<T>[] {
  const ascending = groups.toSorted((a, b) => a.priority - b.priority);
  const members = ascending.map((): T[] => []);
  for (const each of running) {
    const priority = each.pod?.spec.priority ?? 0;
    const at = ascending.findLastIndex((group) => group.priority <= priority);
    members[Math.max(0, at)]?.push(each);
  }
  return ascending.flatMap(({ graceSeconds }, at) => {
    const own = members[at] ?? [];
    return own.length === 0 ? [] : [{ graceSeconds, members: own }];
  });
}

/** What a pod gets of the time of its group: never more than it asks for. */
export function shutdownGrace(pod: Pod, groupSeconds: number): number {
  const { terminationGracePeriodSeconds = groupSeconds } = pod.spec;
  return Math.min(groupSeconds, terminationGracePeriodSeconds);
}
