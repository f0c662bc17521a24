/**
 * Which version of a pod runs: the wanted one, or the last good one in its place.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { formatDuration } from "../../base/text/mod.ts";
import { AGENT_ANNOTATIONS } from "../../api/vocabulary/mod.ts";
import { rollbackAfterMs } from "../../api/validate/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { stableJson } from "../../api/objects/mod.ts";

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
  /** How much of its time it had used when this was noted, in milliseconds; none when absent. */
  readonly usedMs?: number;
  /** The agent that noted it was about to end: the trial has used no more than that. */
  readonly isPaused?: boolean;
  /** How often in a row it was cut off after its time was over; never when absent. */
  readonly lateCuts?: number;
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
 * again; any other has its own try, a new one or what is left of it.
 */
export function takeVersion(
  history: PodHistory,
  wanted: Pod,
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
  const begun = trial?.revision === revision ? trial : { revision, usedMs: 0 };
  return { history: { ...kept, trial: begun }, run: wanted };
}

/** How long a trial still lasts, in milliseconds, as it was noted. */
export function trialLeftMs(
  { usedMs = 0 }: Pick<Trial, "usedMs">,
  afterMs: number,
): number {
  return Math.min(Math.max(0, afterMs - usedMs), afterMs);
}

/**
 * What of the time that a trial has used is to be on the disk: whole quarters of it,
 * so that an update is written of a few times and no more.
 */
export function trialMarkMs(usedMs: number, afterMs: number): number {
  const stepMs = afterMs / TRIAL_MARKS;
  return Math.floor(usedMs / stepMs) * stepMs;
}

/**
 * What an earlier agent knew of a pod, with its trial going on. Time while none ran does
 * not count. If a trial was cut off (no power, a kernel that panicked), its time since the
 * last mark is not known. Half of the longest possible time is counted, so that the trial
 * of an update which takes down the machine each time ends as well.
 */
export function resumeHistory(history: PodHistory, wanted: Pod): PodHistory {
  const { trial } = history;
  const afterMs = rollbackAfterMs(wanted.metadata);
  if (trial === undefined || afterMs === undefined) return history;
  const { revision, usedMs = 0, isPaused = false } = trial;
  if (isPaused) return { ...history, trial: { revision, usedMs } };
  const unknownMs = afterMs / TRIAL_MARKS / 2;
  const lateCuts = usedMs < afterMs ? 0 : (trial.lateCuts ?? 0) + 1;
  const resumed = { revision, usedMs: usedMs + unknownMs };
  return {
    ...history,
    trial: lateCuts === 0 ? resumed : { ...resumed, lateCuts },
  };
}

/**
 * Goes back at once from a version whose time is over and of which no agent lived long
 * enough to say so: it is about to take down the machine once more.
 */
export function endLostTrial(taken: TakenVersion, nowMs: number): TakenVersion {
  const { history: { good, trial }, run } = taken;
  if (good === undefined || (trial?.lateCuts ?? 0) < MAX_LATE_CUTS) {
    return taken;
  }
  return { history: { good, bad: badRevision(run, nowMs) }, run: good };
}

/** What is remembered of a version that is rolled back now. */
export function badRevision(run: Pod, nowMs: number): BadRevision {
  return {
    revision: podRevision(run),
    uid: run.metadata.uid,
    atMs: nowMs,
    afterMs: rollbackAfterMs(run.metadata) ?? 0,
  };
}

/** Whether two histories say the same. */
export function isSameHistory(a: PodHistory, b: PodHistory): boolean {
  return a.bad === b.bad && a.trial === b.trial &&
    (a.good === b.good ||
      a.good !== undefined && b.good !== undefined &&
        isSameVersion(a.good, b.good));
}

/** How often it is noted during a trial how much of its time is used; flash wears out. */
const TRIAL_MARKS = 4;

/** Once may be chance: an agent that starts looks at what runs before it goes back. */
const MAX_LATE_CUTS = 3;

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

/** What happened to a version that was rolled back. */
export function describeRollback(
  { uid, revision, afterMs }: BadRevision,
): string {
  return `Revision "${revision}" (UID "${uid}") was not ready within ${
    formatDuration(afterMs)
  }: rolled back to the last good one until the manifest changes`;
}
