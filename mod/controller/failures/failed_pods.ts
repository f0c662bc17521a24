/**
 * When a pod that has ended at once is made again.
 *
 * The pauses are those of upstream's DaemonSet controller, which keeps the count in memory;
 * here each pod says how many failed before it, so that an agent that begins anew does not
 * begin to hurry.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { WatchedTime } from "../run/mod.ts";

/** Annotation of a pod: how many pods before it failed in a row. */
const FAILURES = "skerry.dev/failures-before";

/** As upstream's failedPodsBackoff: the first pause, and the longest. */
const PAUSE = { baseMs: 1_000, mostMs: 15 * 60_000 };

/** As flowcontrol.Backoff: who has lived for so long begins anew. */
const FORGIVEN_MS = 2 * PAUSE.mostMs;

/** What a number of failures in a row is noted as, beside other annotations. */
export function withFailures(
  annotations: Readonly<Record<string, string>> | undefined,
  failures: number,
): Readonly<Record<string, string>> | undefined {
  return failures > 0
    ? { ...annotations, [FAILURES]: `${failures}` }
    : annotations;
}

/** A count as an annotation says it; 0 for what is none. */
export function countIn(text: string = ""): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

function failuresBefore({ metadata }: Pod): number {
  return countIn(metadata.annotations?.[FAILURES]);
}

/**
 * How long a pod that has ended stays before it is replaced, in milliseconds: the pause is
 * counted from when it was made, as upstream.
 */
export function pauseLeftMs(pod: Pod, ageMs: number): number {
  const failures = failuresBefore(pod);
  if (failures === 0) return 0;
  const wholeMs = Math.min(PAUSE.baseMs * 2 ** (failures - 1), PAUSE.mostMs);
  return Math.max(0, wholeMs - ageMs);
}

/** How many pods failed in a row, with this one. */
export function failuresWith(pod: Pod, ageMs: number): number {
  return ageMs > FORGIVEN_MS ? 1 : failuresBefore(pod) + 1;
}

/** How old pods are, asked of each at every look, so that it is known when the clock is set. */
export function agesOf(
  pods: readonly Pod[],
  nowMs: number,
  { timeOf }: Pick<WatchedTime, "timeOf">,
): (pod: Pod) => number {
  const ages = new Map(pods.map((pod) => {
    const { creationTimestamp = "" } = pod.metadata;
    return [pod, nowMs - timeOf(creationTimestamp)];
  }));
  return (pod) => ages.get(pod) ?? 0;
}
