/**
 * Defaults of resource requests: what has a limit and no request requests its
 * limit.
 *
 * @module
 */

import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  ZERO_QUANTITY,
} from "../objects/mod.ts";
import type {
  ContainerSpec,
  PodSpec,
  ResourceRequirements,
} from "../types/mod.ts";

/** Fills in the requests of one container; returns new requirements. */
export function fillRequests(
  resources: ResourceRequirements,
): ResourceRequirements {
  const { limits, requests } = resources;
  if (limits === undefined && requests === undefined) return resources;
  const wholeLimits = limits && roundAll(limits);
  const wholeRequests = { ...wholeLimits, ...(requests && roundAll(requests)) };
  return {
    ...resources,
    ...(wholeLimits && { limits: wholeLimits }),
    ...(Object.keys(wholeRequests).length > 0 && { requests: wholeRequests }),
  };
}

/**
 * Fills in the requests of a pod that has resources of its own: what its
 * containers request together, else its limit.
 */
export function fillPodRequests(
  resources: ResourceRequirements,
  spec: Pick<PodSpec, "containers" | "initContainers">,
): ResourceRequirements {
  const limits = { ...(resources.limits && roundAll(resources.limits)) };
  const requests = { ...(resources.requests && roundAll(resources.requests)) };
  for (const [name, quantity] of containerSums(spec, "requests")) {
    if (!isPodResource(name)) continue;
    requests[name] ??= formatQuantity(quantity);
    // Huge pages cannot be overcommitted: what is requested is the limit.
    if (name.startsWith("hugepages-")) limits[name] ??= requests[name];
  }
  for (const [name, amount] of Object.entries(limits)) {
    requests[name] ??= amount;
  }
  return {
    ...resources,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
}

/** Resources that a pod as a whole can request. */
export function isPodResource(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

/**
 * What the containers of a pod request, or are limited to, at most at any one time: all
 * app containers and sidecars, or an init container with the sidecars before it.
 */
export function containerSums(
  spec: Pick<PodSpec, "containers" | "initContainers">,
  side: "requests" | "limits",
): Map<string, Quantity> {
  const running = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  const sidecars = new Map<string, Quantity>();
  for (const container of spec.containers) addTo(running, container, side);
  for (const container of spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === "Always";
    const together = isSidecar ? sidecars : new Map(sidecars);
    addTo(together, container, side);
    raiseTo(peak, together);
    if (isSidecar) addTo(running, container, side);
  }
  raiseTo(running, peak);
  return running;
}

function addTo(
  sums: Map<string, Quantity>,
  { resources }: ContainerSpec,
  side: "requests" | "limits",
): void {
  for (const [name, amount] of Object.entries(resources?.[side] ?? {})) {
    const before = sums.get(name) ?? ZERO_QUANTITY;
    sums.set(name, addQuantities(before, parseQuantity(amount)));
  }
}

function raiseTo(
  sums: Map<string, Quantity>,
  others: ReadonlyMap<string, Quantity>,
): void {
  for (const [name, quantity] of others) {
    const sum = sums.get(name);
    if (sum === undefined || compareQuantities(sum, quantity) < 0) {
      sums.set(name, quantity);
    }
  }
}

// Upstream's SetDefaults_ResourceList: nothing is finer than a thousandth.
function roundAll(
  amounts: NonNullable<ResourceRequirements["limits"]>,
): Record<string, string> {
  let rounded: Record<string, string> | undefined;
  for (const [name, amount] of Object.entries(amounts)) {
    if (!MAYBE_FINE.test(amount)) continue;
    const quantity = parseQuantity(amount);
    if (quantity.nano % MILLI === 0n || quantity.nano < 0n) continue;
    const nano = (quantity.nano / MILLI + 1n) * MILLI;
    rounded ??= { ...amounts };
    rounded[name] = formatQuantity({ ...quantity, nano });
  }
  return rounded ?? { ...amounts };
}

const MILLI = 1_000_000n;
/** Only what has a fraction, an exponent or a small suffix can be finer than a thousandth. */
const MAYBE_FINE = /[.eEnum]/;
