/**
 * Which rotated files go when the logs of all pods take too much.
 *
 * @module
 */

import type { LogPlace } from "./ports.ts";

/** A rotated file that may be removed. */
export interface SpareLog {
  /** Where it lies, with its own name as the file. */
  readonly place: LogPlace;
  readonly stamp: string;
  readonly bytes: number;
}

/** What the logs of one pod take. */
export interface PodLogUsage {
  readonly uid: string;
  /** Those that cannot go included. */
  readonly bytes: number;
  readonly spare: readonly SpareLog[];
}

/** What is to go, and what is left then. */
export interface BudgetPlan {
  readonly remove: readonly (SpareLog & { readonly uid: string })[];
  readonly leftBytes: number;
}

/** Takes the oldest rotated file of the largest pod, until the rest is small enough. Pure. */
export function planBudget(
  usages: readonly PodLogUsage[],
  budgetBytes: number,
): BudgetPlan {
  const remove: (SpareLog & { readonly uid: string })[] = [];
  let leftBytes = usages.reduce((sum, { bytes }) => sum + bytes, 0);
  const pods = usages.map(({ uid, bytes, spare }) => ({
    uid,
    bytes,
    // The oldest last, to be taken from there.
    spare: spare.toSorted((a, b) => a.stamp > b.stamp ? -1 : 1),
  }));
  while (leftBytes > budgetBytes) {
    const largest = pods.filter(({ spare }) => spare.length > 0)
      .reduce<typeof pods[number] | undefined>(
        (most, pod) =>
          most === undefined || pod.bytes > most.bytes ? pod : most,
        undefined,
      );
    const oldest = largest?.spare.pop();
    if (largest === undefined || oldest === undefined) break;
    remove.push({ ...oldest, uid: largest.uid });
    largest.bytes -= oldest.bytes;
    leftBytes -= oldest.bytes;
  }
  return { remove, leftBytes };
}
