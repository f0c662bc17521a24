/**
 * When a pod that was ended because the node ran short runs again.
 *
 * @module
 */

import type { Pod, PodStatus } from "../../api/types/mod.ts";
import {
  ANNOTATION_CONFIG_SOURCE,
  isLocalPod,
} from "../../api/vocabulary/mod.ts";
import { nextDelay } from "../../base/mod.ts";
import { DISRUPTION_TARGET, findCondition, parseTime } from "../status/mod.ts";
import { BACKOFF_EXPIRY_MS } from "./restart_backoff.ts";

/** What is remembered of a pod that was ended because the node ran short. */
export interface EvictionNote {
  /** How often in a row, each soon after it had come back. */
  readonly times: number;
  /** Wall time of the last one. */
  readonly atMs: number;
  /** Why the last one was, in upstream's words. */
  readonly message: string;
}

/** The pause after a shortage doubles like that of a container that crashes. */
const PAUSE = { baseMs: 10_000, maxMs: 300_000 };

/** So often doubled it is the longest for certain. */
const MOST_TIMES = 30;

/** Every container may be named in it; what is kept of it for good is short. */
const MESSAGE_CHARACTERS = 1_000;

/**
 * Whether a pod was ended for the sake of the node: not for a limit of its own, nor
 * refused before it ran.
 */
export function isEndedForPressure(
  { phase, reason, conditions, containerStatuses }: PodStatus,
): boolean {
  const target = findCondition(conditions, DISRUPTION_TARGET);
  return phase === "Failed" && reason === "Evicted" &&
    containerStatuses !== undefined && target?.status === "True" &&
    target.reason === "TerminationByKubelet";
}

/**
 * Whether it is to run again: a pod of policy Never runs once, however that ended, and in
 * the place of a controller's pod comes another.
 */
export function mayReturn(
  pod: Pick<Pod, "metadata" | "spec">,
  status: PodStatus,
): boolean {
  return pod.spec.restartPolicy !== "Never" && !isReplaced(pod) &&
    isEndedForPressure(status);
}

/** Whether a controller, of this node or of its cluster, makes another in its place. */
function isReplaced(pod: Pick<Pod, "metadata">): boolean {
  const source = pod.metadata.annotations?.[ANNOTATION_CONFIG_SOURCE];
  return isLocalPod(pod) || source === "api";
}

/**
 * Notes one more eviction.
 *
 * @param before what is known of earlier ones, which count if the pod was back for a
 * short time only
 */
export function noteEviction(
  before: EvictionNote | undefined,
  { status, nowMs }: { readonly status: PodStatus; readonly nowMs: number },
): EvictionNote {
  const startMs = parseTime(status.startTime) ?? nowMs;
  const isSoon = nowMs - startMs <= BACKOFF_EXPIRY_MS;
  const times = isSoon ? Math.min(before?.times ?? 0, MOST_TIMES - 1) : 0;
  const message = (status.message ?? "").slice(0, MESSAGE_CHARACTERS);
  return { times: times + 1, atMs: nowMs, message };
}

/**
 * How long a node has to be short of nothing before the pod runs again, in milliseconds.
 *
 * @param now.transitionMs how long a condition stays that an agent has seen. One that
 * started since has not seen it: the rest of that time comes on top. A wall clock that was
 * set makes it no longer than that.
 */
export function pauseBeforeReturn(
  { times, atMs }: EvictionNote,
  now: { readonly nowMs: number; readonly transitionMs: number },
): number {
  let pauseMs: number | undefined;
  for (let n = 0; n < Math.min(times, MOST_TIMES); n++) {
    pauseMs = nextDelay(pauseMs, PAUSE);
  }
  const unseenMs = atMs + now.transitionMs - now.nowMs;
  return (pauseMs ?? PAUSE.baseMs) +
    Math.min(Math.max(0, unseenMs), now.transitionMs);
}
