/**
 * Sums of what the containers of a pod ask for.
 *
 * @module
 */

import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  toBytes,
  toMilli,
} from "../../api/objects/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { isRestartableInit } from "../../api/vocabulary/mod.ts";

/** Amounts by resource name, as written in a spec. */
export type ResourceList = Readonly<Record<string, string>>;

/** Requests or limits. */
export type ResourceSide = "requests" | "limits";

/** One amount: CPU in millicores, everything else in whole units; 0 when absent. */
export function resourceAmount(
  list: ResourceList | undefined,
  name: string,
): bigint {
  const text = list?.[name];
  if (text === undefined) return 0n;
  const quantity = parseQuantity(text);
  return name === "cpu" ? toMilli(quantity) : toBytes(quantity);
}

/** The same amounts in canonical spelling, as status shows them. */
export function canonicalResources(list: ResourceList): ResourceList {
  return Object.fromEntries(
    Object.entries(list).map(([name, text]) => [
      name,
      formatQuantity(parseQuantity(text)),
    ]),
  );
}

/**
 * What a pod as a whole asks for (kubelet: resourcehelper.PodRequests, PodLimits).
 *
 * App containers and sidecars run side by side and add up; an init container
 * runs beside the sidecars before it only, so the largest of those moments
 * counts. What the pod declares as a whole outranks the sum.
 */
export function podResourceSum(
  pod: Pick<Pod, "spec">,
  side: ResourceSide,
  options: { readonly withOverhead?: boolean } = {},
): ResourceList {
  let sum: Amounts = new Map();
  for (const container of pod.spec.containers) {
    sum = add(sum, declared(container, side));
  }
  let sidecars: Amounts = new Map();
  let peak: Amounts = new Map();
  for (const container of pod.spec.initContainers ?? []) {
    const own = declared(container, side);
    if (isRestartableInit(container)) {
      sum = add(sum, own);
      sidecars = add(sidecars, own);
      peak = largest(peak, sidecars);
    } else {
      peak = largest(peak, add(sidecars, own));
    }
  }
  sum = largest(sum, peak);
  sum = new Map([...sum, ...amounts(pod.spec.resources?.[side] ?? {})]);
  if (options.withOverhead === true) {
    sum = addOverhead(sum, amounts(pod.spec.overhead ?? {}), side);
  }
  return Object.fromEntries(
    [...sum].map(([name, quantity]) => [name, formatQuantity(quantity)]),
  );
}

type Amounts = ReadonlyMap<string, Quantity>;

function declared(container: ContainerSpec, side: ResourceSide): Amounts {
  return amounts(container.resources?.[side] ?? {});
}

function amounts(list: ResourceList): Amounts {
  return new Map(
    Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]),
  );
}

function add(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, quantity] of b) {
    const before = sum.get(name);
    sum.set(
      name,
      before === undefined ? quantity : addQuantities(before, quantity),
    );
  }
  return sum;
}

function largest(a: Amounts, b: Amounts): Amounts {
  const most = new Map(a);
  for (const [name, quantity] of b) {
    const before = most.get(name);
    if (before === undefined || compareQuantities(quantity, before) > 0) {
      most.set(name, quantity);
    }
  }
  return most;
}

function addOverhead(
  sum: Amounts,
  overhead: Amounts,
  side: ResourceSide,
): Amounts {
  if (side === "requests") return add(sum, overhead);
  // Overhead must not turn "no limit" into one.
  return add(sum, new Map([...overhead].filter(([name]) => sum.has(name))));
}
