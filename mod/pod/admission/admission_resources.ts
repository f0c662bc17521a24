/**
 * Whether what a pod asks for is still free on the node.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Quantity } from "../../api/objects/mod.ts";
import {
  RESIZED_RESOURCES,
  type ResizeRefusal,
  type Shortage,
} from "../plan/mod.ts";
import {
  podResourceSum,
  resourceAmount,
  wholeAmount,
} from "../resources/mod.ts";

/** Upstream checks these first and in this order, then what else the pod names. */
const FIRST_CHECKED = ["cpu", "memory", "ephemeral-storage"];

/** A lack of a resource on the node. */
export interface ResourceRejection {
  readonly reason: `OutOf${string}`;
  readonly message: string;
  readonly shortage: Shortage;
}

/**
 * Finds the first resource of which the node has not enough left.
 *
 * Amounts are in millicores for CPU, else in whole units, as the kubelet says them.
 * A resource that the node does not state is not known and so not checked.
 * Upstream: noderesources.Fits, lifecycle.InsufficientResourceError.
 */
export function insufficientResource(
  pod: Pod,
  others: readonly Pod[],
  node: { readonly allocatable: ReadonlyMap<string, Quantity> },
): ResourceRejection | undefined {
  const shortage = findShortage(pod, others, node);
  return shortage && {
    reason: `OutOf${shortage.resource}`,
    message: describeShortage(shortage),
    shortage,
  };
}

/**
 * Says why the node cannot give a pod that runs the CPU and memory which it asks for
 * now. What it already has it may keep, and less it may always have.
 *
 * Upstream: pkg/kubelet/allocation canResizePod.
 */
export function refuseResize(
  request: {
    readonly pod: Pod;
    /** The same pod as it was given its resources. */
    readonly allocated: Pod;
    /** The pods beside it. */
    readonly others: readonly Pod[];
    readonly node: { readonly allocatable: ReadonlyMap<string, Quantity> };
  },
): ResizeRefusal | undefined {
  const { pod, allocated, others, node } = request;
  const wants = requestsOf(pod);
  const has = requestsOf(allocated);
  const allocatable = new Map(RESIZED_RESOURCES.flatMap((name) => {
    const offered = node.allocatable.get(name);
    const isMore = (wants.get(name) ?? 0n) > (has.get(name) ?? 0n);
    return offered === undefined || !isMore ? [] : [[name, offered]];
  }));
  const alone = findShortage(pod, [], { allocatable });
  if (alone !== undefined) {
    const { resource, requested, capacity } = alone;
    return {
      reason: "Infeasible",
      message: `Node didn't have enough capacity: ${resource}, ` +
        `requested: ${requested}, capacity: ${capacity}`,
      shortage: alone,
    };
  }
  const beside = findShortage(pod, others, { allocatable });
  return beside && {
    reason: "Deferred",
    message: describeShortage(beside),
    shortage: beside,
  };
}

/**
 * A list without some of its pods. What the rest asks for together is known by that of all:
 * it costs no other look at each of them.
 */
export function podsWithout(
  pods: readonly Pod[],
  left: ReadonlySet<Pod>,
): readonly Pod[] {
  const sum = new Map(sumOf(pods));
  const rest = pods.filter((pod) => !left.has(pod));
  for (const pod of pods) {
    if (!left.has(pod)) continue;
    for (const [name, amount] of requestsOf(pod)) {
      sum.set(name, (sum.get(name) ?? 0n) - amount);
    }
  }
  sums.set(rest, sum);
  return rest;
}

function findShortage(
  pod: Pod,
  others: readonly Pod[],
  node: { readonly allocatable: ReadonlyMap<string, Quantity> },
): Shortage | undefined {
  const { allocatable } = node;
  const places = allocatable.get("pods");
  const pods = BigInt(others.length);
  const capacity = places && wholeAmount("pods", places);
  if (capacity !== undefined && pods + 1n > capacity) {
    return { resource: "pods", requested: 1n, used: pods, capacity };
  }
  const requests = requestsOf(pod);
  const taken = sumOf(others);
  const names = new Set([...FIRST_CHECKED, ...[...requests.keys()].sort()]);
  for (const name of names) {
    const offered = allocatable.get(name);
    const requested = requests.get(name) ?? 0n;
    if (offered === undefined || requested === 0n) continue;
    const capacity = wholeAmount(name, offered);
    const used = taken.get(name) ?? 0n;
    if (requested > capacity - used) {
      return { resource: name, requested, used, capacity };
    }
  }
  return undefined;
}

/** What a pod asks for with its overhead, in the units of messages. */
function requestsOf(pod: Pod): ReadonlyMap<string, bigint> {
  const known = requestsByPod.get(pod);
  if (known !== undefined) return known;
  const sum = podResourceSum(pod, "requests", { withOverhead: true });
  const amounts = new Map(
    Object.keys(sum).map((name) => [name, resourceAmount(sum, name)]),
  );
  requestsByPod.set(pod, amounts);
  return amounts;
}

/** Pods are never altered, and each is weighed again for every one that asks. */
const requestsByPod = new WeakMap<Pod, ReadonlyMap<string, bigint>>();

/** What pods ask for together. */
function sumOf(pods: readonly Pod[]): ReadonlyMap<string, bigint> {
  const known = sums.get(pods);
  if (known !== undefined) return known;
  const sum = new Map<string, bigint>();
  for (const pod of pods) {
    for (const [name, amount] of requestsOf(pod)) {
      sum.set(name, (sum.get(name) ?? 0n) + amount);
    }
  }
  sums.set(pods, sum);
  return sum;
}

/** Lists are never altered either, and many pods ask beside the same. */
const sums = new WeakMap<readonly Pod[], ReadonlyMap<string, bigint>>();

function describeShortage(
  { resource, requested, used, capacity }: Shortage,
): string {
  return `Node didn't have enough resource: ${resource}, ` +
    `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
}
