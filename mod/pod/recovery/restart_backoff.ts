/**
 * When a container that keeps crashing, or an image that cannot be pulled, is
 * tried again.
 *
 * The functions hold no state: the caller keeps the entries by key and the
 * clock's readings, all in milliseconds of one monotonic clock, so that setting the
 * wall clock makes no delay longer or shorter.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { fnv1a64Hex, stableJson } from "../../api/objects/mod.ts";
import { formatDuration } from "../../base/text/mod.ts";
import { nextDelay } from "../../base/mod.ts";

/** The first delay, both of restarts and of pulls (kubelet: backOffPeriod). */
const BACKOFF_BASE_MS = 10_000;

/** The longest delay (kubelet: MaxCrashLoopBackOff, MaxImageBackOff). */
const BACKOFF_MAX_MS = 300_000;

/** After this long without a failure an entry counts for nothing. */
export const BACKOFF_EXPIRY_MS = 600_000;

/** What is remembered of one key's failures. */
export interface BackoffEntry {
  readonly delayMs: number;
  /** When the delay was last set. */
  readonly updatedAtMs: number;
}

/** Start now and remember `entry`, or wait. */
export type RestartVerdict =
  | { readonly kind: "start"; readonly entry: BackoffEntry }
  | {
    readonly kind: "wait";
    readonly untilMs: number;
    /** The whole delay in force, as messages state it; not what is left of it. */
    readonly delayMs: number;
  };

/**
 * Decides whether a container that ended at `finishedAtMs` may start now.
 *
 * The first restart is immediate; the delay before each further one doubles.
 * (kubelet: doBackOff with flowcontrol.Backoff, measured from the end of the
 * container so that time spent running counts.)
 */
export function restartDelay(
  entry: BackoffEntry | undefined,
  options: {
    readonly finishedAtMs: number;
    readonly nowMs: number;
    /** @default BACKOFF_MAX_MS */
    readonly maxMs?: number;
  },
): RestartVerdict {
  const { nowMs, maxMs = BACKOFF_MAX_MS } = options;
  const live = liveAt(options.finishedAtMs, entry);
  const start: RestartVerdict = {
    kind: "start",
    entry: { delayMs: followingDelay(live, maxMs), updatedAtMs: nowMs },
  };
  if (live === undefined) return start;
  const untilMs = options.finishedAtMs + live.delayMs;
  return nowMs < untilMs
    ? { kind: "wait", untilMs, delayMs: live.delayMs }
    : start;
}

/**
 * The key of a container's restart entry: it changes, and the delay is forgotten,
 * when the container's image or resources change (kubelet: getBackoffKey).
 */
export function restartKey(pod: Pod, container: ContainerSpec): string {
  const { name, namespace, uid } = pod.metadata;
  const resources = stableJson(container.resources ?? {});
  return fnv1a64Hex(
    [name, namespace, uid, container.name, container.image ?? "", resources]
      .join("/"),
  );
}

/** The message of a container that waits after a crash (reason CrashLoopBackOff). */
export function crashLoopMessage(
  delayMs: number,
  container: { readonly name: string; readonly pod: Pod },
): string {
  const { name, namespace, uid } = container.pod.metadata;
  return `back-off ${formatDuration(delayMs)} restarting failed container=` +
    `${container.name} pod=${name}_${namespace}(${uid})`;
}

/** Pull now, or wait. */
export type PullVerdict =
  | { readonly kind: "pull" }
  | RestartVerdict & { readonly kind: "wait" };

/** Decides whether a pull that failed before may be tried now. */
export function pullDelay(
  entry: BackoffEntry | undefined,
  nowMs: number,
): PullVerdict {
  const { delayMs, updatedAtMs } = liveAt(nowMs, entry) ??
    { delayMs: 0, updatedAtMs: nowMs };
  const untilMs = updatedAtMs + delayMs;
  return nowMs < untilMs
    ? { kind: "wait", untilMs, delayMs }
    : { kind: "pull" };
}

/** The entry after one more failed pull. */
export function pullFailed(
  entry: BackoffEntry | undefined,
  nowMs: number,
): BackoffEntry {
  const delayMs = followingDelay(liveAt(nowMs, entry), BACKOFF_MAX_MS);
  return { delayMs, updatedAtMs: nowMs };
}

/** Whether an entry is so old that it may be dropped. */
export function isBackoffExpired(entry: BackoffEntry, nowMs: number): boolean {
  return nowMs - entry.updatedAtMs > BACKOFF_EXPIRY_MS;
}

function liveAt(
  atMs: number,
  entry: BackoffEntry | undefined,
): BackoffEntry | undefined {
  return entry && isBackoffExpired(entry, atMs) ? undefined : entry;
}

function followingDelay(
  entry: BackoffEntry | undefined,
  maxMs: number,
): number {
  // A cap below the base is the base as well.
  return nextDelay(entry?.delayMs, {
    baseMs: Math.min(BACKOFF_BASE_MS, maxMs),
    maxMs,
  });
}
