/**
 * How much a pod counts beside others, by its class.
 *
 * @module
 */

import type { LocalObject } from "../objects/mod.ts";
import type { Pod } from "../types/mod.ts";
import { CRITICAL_PRIORITY } from "../vocabulary/mod.ts";

/** How much some pods count beside others. */
export type PriorityClass = LocalObject & { readonly kind: "PriorityClass" };

/** What the classes that every cluster has are worth. */
export const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", CRITICAL_PRIORITY],
  ["system-node-critical", CRITICAL_PRIORITY + 1000],
]);

/**
 * Gives a pod the priority of its class, or that of the default class if it names none
 * (upstream's Priority admission). Of several default classes the lowest counts.
 *
 * A priority in the manifest stays, and a class that is not known gives none.
 */
export function applyPriority(
  pod: Pod,
  classes: readonly PriorityClass[],
): Pod {
  const { spec } = pod;
  if (spec.priority !== undefined) return pod;
  const { priorityClassName = "" } = spec;
  const system = SYSTEM_PRIORITIES.get(priorityClassName);
  if (system !== undefined) {
    return { ...pod, spec: { ...spec, priority: system } };
  }
  const found = priorityClassName === ""
    ? lowest(classes.filter(({ globalDefault }) => globalDefault))
    : classes.find(({ name }) => name === priorityClassName);
  if (found === undefined) return pod;
  const { name, value, preemptionPolicy } = found;
  const given = {
    priority: value,
    priorityClassName: name,
    preemptionPolicy: spec.preemptionPolicy ?? preemptionPolicy,
  };
  return { ...pod, spec: { ...spec, ...given } };
}

function lowest(classes: readonly PriorityClass[]): PriorityClass | undefined {
  return classes.toSorted((a, b) => a.value - b.value)[0];
}
