/**
 * Sums of what the containers of a pod ask for.
 *
 * @module
 */

import { containerSums } from "../../api/defaults/mod.ts";
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  toBytes,
  toMilli,
  ZERO_QUANTITY,
} from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";

/** Amounts by resource name, as written in a spec. */
export type ResourceList = Readonly<Record<string, string>>;

/** One amount: CPU in millicores, everything else in whole units; 0 when absent. */
export function resourceAmount(
  list: ResourceList | undefined,
  name: string,
): bigint {
  const text = list?.[name];
  if (text === undefined) return 0n;
  return wholeAmount(name, parseQuantity(text));
}

/** The same of a quantity. */
export function wholeAmount(name: string, quantity: Quantity): bigint {
  return name === "cpu" ? toMilli(quantity) : toBytes(quantity);
}

/** What is requested of a resource: without a request the limit stands for it. */
export function requestedAmount(
  { requests, limits }: {
    readonly requests?: ResourceList | undefined;
    readonly limits?: ResourceList | undefined;
  },
  name: string,
): bigint {
  return resourceAmount(
    requests?.[name] === undefined ? limits : requests,
    name,
  );
}

/** The same amounts in canonical spelling, as status shows them. */
export function canonicalResources(list: ResourceList): ResourceList {
  return formatted(
    Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]),
  );
}

/**
 * What a pod as a whole asks for (kubelet: resourcehelper.PodRequests, PodLimits): what
 * it declares as a whole outranks the sum of its containers.
 */
export function podResourceSum(
  { spec }: Pick<Pod, "spec">,
  side: "requests" | "limits",
  options: { readonly withOverhead?: boolean } = {},
): ResourceList {
  const sum = containerSums(spec, side);
  for (const [name, text] of Object.entries(spec.resources?.[side] ?? {})) {
    sum.set(name, parseQuantity(text));
  }
  const overhead = options.withOverhead === true ? spec.overhead ?? {} : {};
  for (const [name, text] of Object.entries(overhead)) {
    const before = sum.get(name);
    // Overhead must not turn "no limit" into one.
    if (before === undefined && side === "limits") continue;
    sum.set(name, addQuantities(before ?? ZERO_QUANTITY, parseQuantity(text)));
  }
  return formatted(sum);
}

function formatted(
  amounts: Iterable<readonly [string, Quantity]>,
): ResourceList {
  return Object.fromEntries(
    Array.from(amounts, ([name, amount]) => [name, formatQuantity(amount)]),
  );
}
