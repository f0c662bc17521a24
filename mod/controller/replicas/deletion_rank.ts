/**
 * Which pods of a controller go first when there are too many.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { readySince, sidecarStatuses } from "../run/mod.ts";

/** What a user writes on a pod that should go earlier, or later, than its like. */
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

/** What decides, the first difference first; the pod with the smaller value goes first. */
interface Rank {
  readonly pod: Pod;
  readonly values: readonly number[];
  /** 0 when nobody says since when, as with `createdMs`. */
  readonly readyMs: number;
  readonly restarts: readonly number[];
  readonly createdMs: number;
}

/**
 * Orders pods as upstream's ActivePodsWithRanks: those that would be missed least come
 * first.
 *
 * @param related pods that do the same work, these ones included: of two pods the one
 * goes first whose node has more of them
 */
export function rankForDeletion(
  pods: readonly Pod[],
  related: readonly Pod[],
  nowMs: number,
): readonly Pod[] {
  const perNode = Map.groupBy(related, ({ spec }) => spec.nodeName ?? "");
  return pods
    .map((pod): Rank => ({
      pod,
      values: [
        pod.spec.nodeName ? 1 : 0,
        phaseRank(pod),
        // Of two that differ here the times are not compared any more.
        readySince(pod) === undefined ? 0 : 1,
        deletionCost(pod),
        -(perNode.get(pod.spec.nodeName ?? "")?.length ?? 0),
      ],
      readyMs: readySince(pod) ?? 0,
      restarts: restartsOf(pod),
      createdMs: Date.parse(pod.metadata.creationTimestamp ?? "") || 0,
    }))
    .sort((a, b) => compare(a, b, nowMs))
    .map(({ pod }) => pod);
}

function compare(a: Rank, b: Rank, nowMs: number): number {
  return compareValues(a.values, b.values) ||
    compareAges(a, b, { of: ({ readyMs }) => readyMs, nowMs }) ||
    // More restarts go first.
    compareValues(b.restarts, a.restarts) ||
    compareAges(a, b, { of: ({ createdMs }) => createdMs, nowMs });
}

function compareValues(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The younger first; ages that differ by less than a factor of two count as one. */
function compareAges(
  a: Rank,
  b: Rank,
  { of, nowMs }: {
    readonly of: (rank: Rank) => number;
    readonly nowMs: number;
  },
): number {
  const [first, second] = [of(a), of(b)];
  if (first === second) return 0;
  // What has no time goes first, as upstream's afterOrZero.
  if (first === 0 || second === 0) return first - second;
  const difference = ageClass(first, nowMs) - ageClass(second, nowMs);
  if (difference !== 0) return difference;
  // Within a class it is chance; the UID is that, and stays the same at each look.
  return a.pod.metadata.uid < b.pod.metadata.uid ? -1 : 1;
}

/** Upstream's logarithmicRankDiff: the power of two of an age in nanoseconds. */
function ageClass(sinceMs: number, nowMs: number): number {
  return sinceMs < nowMs ? Math.floor(Math.log2((nowMs - sinceMs) * 1e6)) : -1;
}

function phaseRank({ status }: Pod): number {
  switch (status?.phase) {
    case "Running":
      return 2;
    case "Unknown":
      return 1;
    default:
      return 0;
  }
}

/** What is not a whole number of 32 bits in the usual writing counts as 0. */
function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST] ?? "";
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

/** The most restarts of a container, and of a sidecar. */
function restartsOf(pod: Pod): readonly number[] {
  return [
    most(pod.status?.containerStatuses ?? []),
    most(sidecarStatuses(pod)),
  ];
}

function most(
  statuses: readonly { readonly restartCount: number }[],
): number {
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}
