/**
 * Which version of a pod runs: the wanted one, or the last good one in its place.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { formatDuration } from "../base/mod.ts";
import {
  AGENT_ANNOTATIONS,
  type Pod,
  rollbackAfterMs,
  stableJson,
} from "../api/mod.ts";

/**
 * What is remembered of the versions of one pod, by namespace and name.
 *
 * ```text
 *              ┌──────────── other content ◀───────────┐
 *              ▼                                       │
 *  good ──▶ trial ── not ready in its time ──▶ bad (good runs)
 *    ▲        │                                        │
 *    └─ ready ┘◀────────── the good content ◀──────────┘
 * ```
 */
export interface PodHistory {
  /** The last version that was ready or succeeded; absent before the first that was. */
  readonly good?: Pod;
  /** The version that is being tried; absent when it may take as long as it likes. */
  readonly trial?: Trial;
  /** The version that was rolled back, as long as it is the wanted one. */
  readonly bad?: BadRevision;
}

/** A version on its way to be ready. */
export interface Trial {
  /** {@linkcode podRevision} of it. */
  readonly revision: string;
  /** Wall time at which it was accepted. */
  readonly sinceMs: number;
}

/** A version that was not ready in its time. */
export interface BadRevision {
  /** {@linkcode podRevision} of it. */
  readonly revision: string;
  readonly uid: string;
  /** Wall time at which it was rolled back. */
  readonly atMs: number;
  /** How long it had. */
  readonly afterMs: number;
}

/** The condition by which a pod says that it runs in place of a newer version. */
export const ROLLED_BACK_CONDITION = "skerry.dev/RolledBack";

/**
 * Names what a pod says: equal for equal content under the same UID.
 *
 * What the node itself writes into the pod does not count.
 */
export function podRevision(pod: Pod): string {
  const known = revisions.get(pod);
  if (known !== undefined) return known;
  const { uid, labels, annotations = {} } = pod.metadata;
  const own = Object.fromEntries(
    Object.entries(annotations).filter(([key]) => !AGENT_ANNOTATIONS.has(key)),
  );
  const content = { uid, labels, annotations: own, spec: pod.spec };
  const revision = createHash("sha256").update(stableJson(content))
    .digest("hex").slice(0, REVISION_LENGTH);
  revisions.set(pod, revision);
  return revision;
}

/** Short enough to be read by people, long enough to be no other's. */
const REVISION_LENGTH = 16;

/** Pods are never altered, and sources give the same one again and again. */
const revisions = new WeakMap<Pod, string>();

/** Whether two pods say the same. */
export function isSameVersion(a: Pod, b: Pod): boolean {
  if (a === b) return true;
  return a.metadata.uid === b.metadata.uid && podRevision(a) === podRevision(b);
}

/** What becomes of a version that a source wants. */
export interface TakenVersion {
  readonly history: PodHistory;
  /** The version to run: the wanted one, or the good one in place of a bad one. */
  readonly run: Pod;
}

/**
 * Takes the version that a source wants now. One that was rolled back is not tried
 * again; any other has its own try, from now on or from when it began.
 */
export function takeVersion(
  history: PodHistory,
  wanted: Pod,
  nowMs: number,
): TakenVersion {
  const { good, bad, trial } = history;
  if (good !== undefined && isSameVersion(good, wanted)) {
    return { history: { good: wanted }, run: wanted };
  }
  if (good !== undefined && bad?.revision === podRevision(wanted)) {
    return { history: { good, bad }, run: good };
  }
  const kept = good === undefined ? {} : { good };
  if (rollbackAfterMs(wanted.metadata) === undefined) {
    return { history: kept, run: wanted };
  }
  const revision = podRevision(wanted);
  const begun = trial?.revision === revision
    ? trial
    : { revision, sinceMs: nowMs };
  return { history: { ...kept, trial: begun }, run: wanted };
}

/**
 * How long a trial still lasts, in milliseconds. A clock that was set back does not
 * make it longer than it is meant to be.
 */
export function trialLeftMs(
  trial: Pick<Trial, "sinceMs">,
  afterMs: number,
  nowMs: number,
): number {
  const leftMs = trial.sinceMs + afterMs - nowMs;
  return Math.min(Math.max(0, leftMs), afterMs);
}

/** How well a version does. */
export type Readiness =
  /** `isOver` when it has failed for good. */
  | { readonly kind: "unready"; readonly isOver: boolean }
  /** `forMs`: how long without a break. */
  | { readonly kind: "ready"; readonly forMs: number }
  | { readonly kind: "succeeded" };

/** What is to be done about a version. */
export type VersionVerdict =
  | { readonly kind: "wait" }
  /** It is the one to go back to from now on. */
  | { readonly kind: "good" }
  | { readonly kind: "roll_back"; readonly to: Pod }
  /** Its time is over, but there is no way back. */
  | { readonly kind: "stuck"; readonly why: string };

/** What {@linkcode judgeVersion} goes by. */
export interface VersionState {
  readonly history: PodHistory;
  readonly readiness: Readiness;
  /** How long its trial still lasts; not looked at without one. */
  readonly leftMs: number;
}

/**
 * Judges the version that runs.
 *
 * On trial it has to be ready for a while, since a container that crashes is ready
 * for a moment each time. Where nothing depends on it, a moment is enough.
 */
export function judgeVersion(
  running: Pod,
  state: VersionState,
): VersionVerdict {
  const { history: { good, trial }, readiness, leftMs } = state;
  const afterMs = rollbackAfterMs(running.metadata);
  const isOnTrial = trial !== undefined && afterMs !== undefined;
  switch (readiness.kind) {
    case "succeeded":
      return { kind: "good" };
    case "ready": {
      const needsMs = isOnTrial && good !== undefined
        ? Math.min(STEADY_MS, afterMs / 2)
        : 0;
      // One that is ready when its time ends is given the rest of that while.
      return readiness.forMs >= needsMs ? { kind: "good" } : { kind: "wait" };
    }
    case "unready":
      if (!isOnTrial || leftMs > 0) return { kind: "wait" };
      if (good === undefined) {
        const why = "there is no earlier version that was ready";
        return { kind: "stuck", why };
      }
      if (readiness.isOver && good.metadata.uid === running.metadata.uid) {
        const why =
          "its UID is that of the earlier version, and a pod that has failed does not run again";
        return { kind: "stuck", why };
      }
      return { kind: "roll_back", to: good };
  }
}

/** Longer than a container that crashes on its start takes to do so. */
const STEADY_MS = 10_000;

/** What happened to a version that was rolled back, for whoever asks about its pod. */
export function describeRollback(
  { uid, revision, afterMs }: BadRevision,
): string {
  return `Revision "${revision}" (UID "${uid}") was not ready within ${
    formatDuration(afterMs)
  }: rolled back to the last good one until the manifest changes`;
}
