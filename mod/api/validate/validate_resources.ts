/**
 * Checks requests and limits of containers and of pods.
 *
 * @module
 */

import { containerSums, isPodResource } from "../defaults/mod.ts";
import { own } from "./checks.ts";
import { qualifiedNameProblem } from "./names.ts";
import type { Place } from "../fault/mod.ts";
import {
  compareQuantities,
  formatQuantity,
  isWhole,
  parseQuantity,
  type Quantity,
  ZERO_QUANTITY,
} from "../objects/mod.ts";
import type { PodSpec, ResourceRequirements } from "../types/mod.ts";

type Amounts = Readonly<Record<string, string>>;

/** Reports what is wrong with a container's resources. */
export function validateContainerResources(
  resources: ResourceRequirements | undefined,
  at: Place,
): void {
  validateBoth(resources ?? {}, at, containerResourceProblem);
}

/** Reports what is wrong with the resources of the pod as a whole. */
export function validatePodResources(spec: PodSpec, at: Place): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const place = at.child("resources");
  validateBoth(
    resources,
    place,
    (name) =>
      isPodResource(name)
        ? undefined
        : "a pod as a whole can only have cpu, memory and hugepages-<size>",
  );
  for (const [name, sum] of containerSums(spec, "requests")) {
    const amount = own(resources.requests, name);
    if (amount === undefined) continue;
    if (compareQuantities(sum, parseQuantity(amount)) <= 0) continue;
    place.child("requests").key(name).invalid(
      amount,
      `must not be less than what the containers request together, ${
        formatQuantity(sum)
      }`,
    );
  }
  for (const [name, amount] of Object.entries(resources.limits ?? {})) {
    for (const [i, container] of spec.containers.entries()) {
      const limit = own(container.resources?.limits, name);
      if (limit === undefined || !isMore(limit, amount)) continue;
      at.child("containers").index(i).child("resources").child("limits")
        .key(name).invalid(
          limit,
          `must not exceed the pod's limit of ${amount}`,
        );
    }
  }
}

/** Reports what is wrong with the overhead that a runtime class adds. */
export function validateOverhead(
  overhead: Amounts | undefined,
  at: Place,
): void {
  validateAmounts(overhead ?? {}, at, containerResourceProblem);
}

/** True for the fine-grained name of memory in huge pages, such as `hugepages-2Mi`. */
function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

const NATIVE: readonly string[] = ["cpu", "memory", "ephemeral-storage"];

function containerResourceProblem(name: string): string | undefined {
  const problem = qualifiedNameProblem(name);
  if (problem !== undefined) return problem;
  if (NATIVE.includes(name) || isHugePages(name)) return undefined;
  if (!name.includes("/")) {
    return "must be a standard resource for containers (cpu, memory, " +
      "ephemeral-storage, hugepages-<size>) or fully qualified";
  }
  return name.startsWith("requests.")
    ? "must not start with 'requests.'"
    : undefined;
}

/** Resources of which there can be no more or less than what was asked for. */
function isExact(name: string): boolean {
  return isHugePages(name) || !NATIVE.includes(name);
}

type NameProblem = (name: string) => string | undefined;

function validateBoth(
  resources: ResourceRequirements,
  at: Place,
  nameProblem: NameProblem,
): void {
  const { limits = {}, requests = {} } = resources;
  validateAmounts(limits, at.child("limits"), nameProblem);
  validateAmounts(requests, at.child("requests"), nameProblem);
  for (const [name, request] of Object.entries(requests)) {
    const limit = own(limits, name);
    const place = at.child("requests").key(name);
    if (limit === undefined) {
      if (isExact(name)) {
        at.child("limits").key(name).required(
          `a limit must be set for ${name}, equal to the request`,
        );
      }
    } else if (isMore(request, limit)) {
      place.invalid(
        request,
        `must be less than or equal to ${name} limit of ${limit}`,
      );
    } else if (isExact(name) && isMore(limit, request)) {
      place.invalid(request, `must be equal to ${name} limit of ${limit}`);
    }
  }
  refuseHugePagesAlone(resources, at);
}

function refuseHugePagesAlone(
  resources: ResourceRequirements,
  at: Place,
): void {
  const names = Object.keys({ ...resources.limits, ...resources.requests });
  if (!names.some(isHugePages)) return;
  if (names.includes("cpu") || names.includes("memory")) return;
  at.forbidden("huge pages require cpu or memory");
}

function validateAmounts(
  amounts: Amounts,
  at: Place,
  nameProblem: NameProblem,
): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const place = at.key(name);
    const problem = nameProblem(name);
    if (problem !== undefined) place.invalid(name, problem);
    const quantity = parseQuantity(amount);
    if (compareQuantities(quantity, ZERO_QUANTITY) < 0) {
      place.invalid(amount, "must be greater than or equal to 0");
    } else if (problem === undefined) {
      const wrong = amountProblem(name, quantity);
      if (wrong !== undefined) place.invalid(amount, wrong);
    }
  }
}

function amountProblem(name: string, quantity: Quantity): string | undefined {
  if (isExact(name) && !isWhole(quantity)) return "must be an integer";
  if (!isHugePages(name)) return undefined;
  const size = pageSize(name);
  if (size === undefined || size <= 0n) {
    return "the resource's name must end with the size of a page, as in hugepages-2Mi";
  }
  return quantity.nano % size === 0n
    ? undefined
    : `must be a multiple of the page size in ${name}`;
}

function pageSize(name: string): bigint | undefined {
  try {
    return parseQuantity(name.slice("hugepages-".length)).nano;
  } catch {
    // The caller says what is wrong with the name.
    return undefined;
  }
}

function isMore(a: string, b: string): boolean {
  return compareQuantities(parseQuantity(a), parseQuantity(b)) > 0;
}
