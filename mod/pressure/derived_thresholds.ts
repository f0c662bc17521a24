/**
 * Thresholds that nobody gives: they follow from others.
 *
 * @module
 */

import type { PressureSignal } from "./signals.ts";
import type { Threshold } from "./thresholds.ts";

/** The signals of which writable layers have those of the node's disk. */
const OF_NODE_FS: ReadonlyMap<PressureSignal, PressureSignal> = new Map([
  ["nodefs.available", "containerfs.available"],
  ["nodefs.inodesFree", "containerfs.inodesFree"],
]);

/**
 * The thresholds with those that upstream derives: all pods together may come as near to
 * their limit as the machine to its own, if they have one; a disk of writable layers alone
 * may be as full as the node's.
 *
 * @param options.limitsPods whether pods are limited all together
 */
export function withDerived(
  thresholds: readonly Threshold[],
  options: { readonly limitsPods: boolean },
): readonly Threshold[] {
  const derived = thresholds.flatMap((each): readonly Threshold[] => {
    const { signal, kind } = each;
    if (signal === "memory.available" && kind === "hard") {
      return options.limitsPods
        ? [{ ...each, signal: "allocatableMemory.available" }]
        : [];
    }
    const other = OF_NODE_FS.get(signal);
    return other === undefined ? [] : [{ ...each, signal: other }];
  });
  return [...thresholds, ...derived];
}
