/**
 * What the workers remember of one pod.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { effectivePodGrace, type PodState } from "../../pod/lifecycle/mod.ts";
import type { PodEviction } from "../../pod/status/mod.ts";
import type { EndingPod } from "./ports.ts";

/** One pod UID's life on this node. Only the workers write it. */
export interface PodRecord {
  readonly uid: string;
  readonly fullName: string;
  /** Absent for a pod that only the runtime or the disk knows: an orphan. */
  pod: Pod | undefined;
  /** The newest version that was asked for, as its source has it; none when it is to go. */
  wanted: Pod | undefined;
  /** The version that the last sync found, or made, as it should be. */
  settledPod: Pod | undefined;
  state: PodState;
  /** `undefined` while the pod is made to run. */
  stop: PodStop | undefined;
  step: PodStep;
  name: NameClaimState;
}

/** What was asked of a pod that stops. */
export interface PodStop {
  /** It is `deferred` while its successor has no images. */
  readonly kind: "requested" | "deferred" | "begun";
  /** Wall time at which it was removed, for `deletionTimestamp`. */
  readonly requestedMs?: number;
  /** The same UID, which has its place on the node again when this one has ended. */
  readonly next?: Pod | undefined;
  /** Why the node took it down. */
  readonly eviction?: PodEviction;
}

/**
 * The step of a pod: how the last one ended, or that one is under way.
 *
 * ```text
 *   settled ◀──────────┐
 *   unsettled ◀────────┤
 *   failed ◀───────────┴── working ◀── each of them
 * ```
 */
export type PodStep =
  | EndedStep
  | {
    readonly kind: "working";
    /** Ends the step when what it works towards has changed. */
    readonly cancel: AbortController;
    /** How the step before ended. */
    readonly before: EndedStep;
    /** Something happened since the step began. */
    readonly isLookDue: boolean;
  };

/** How a step ended. */
export type EndedStep =
  | { readonly kind: "settled" }
  /** The pod waits for something. */
  | { readonly kind: "unsettled" }
  | {
    readonly kind: "failed";
    /** Monotonic time. */
    readonly atMs: number;
    /** The pause after it; `undefined` when the next failure begins anew with the least. */
    readonly retryMs: number | undefined;
  };

/**
 * How the pod stands to its full name.
 *
 * - `claimed` it has not acted under it
 * - `owned` it may have
 * - `released` nothing of it runs any more
 */
export type NameClaimState = "claimed" | "owned" | "released";

/** What others may see of a worker. */
export interface WorkerView {
  readonly uid: string;
  readonly fullName: string;
  readonly pod: Pod | undefined;
  /** The newest version that was asked for, as its source has it; none when it is to go. */
  readonly wanted?: Pod | undefined;
  /** The version that the status is about, if all of it is as it should be. */
  readonly settledPod?: Pod | undefined;
  readonly state: PodState;
  readonly stop?: PodStop | undefined;
}

/** What an orphan's state says, of which no spec is known; the API's default. */
const ORPHAN_GRACE_SECONDS = 30;

/** The record of a pod of which nothing is known yet. */
export function newRecord(
  of: Pick<PodRecord, "uid" | "pod" | "wanted" | "fullName">,
): PodRecord {
  return {
    ...of,
    settledPod: undefined,
    state: { kind: "syncing" },
    stop: undefined,
    step: { kind: "settled" },
    // An orphan has run all along.
    name: of.pod === undefined ? "owned" : "claimed",
  };
}

/** How the last step ended that is over. */
export function lastStep({ step }: PodRecord): EndedStep {
  return step.kind === "working" ? step.before : step;
}

/** The next failure pauses for the least time again. */
export function withoutRetry(step: PodStep): PodStep {
  switch (step.kind) {
    case "failed":
      return { ...step, retryMs: undefined };
    case "working":
      return step.before.kind === "failed"
        ? { ...step, before: { ...step.before, retryMs: undefined } }
        : step;
    case "settled":
    case "unsettled":
      return step;
  }
}

/**
 * How long the pod gets to end by its spec, in seconds; one that ends already keeps a
 * shorter grace. Of an orphan the spec is unknown: its own grace is read from the
 * runtime's labels.
 */
export function graceOf({ pod }: PodRecord): number {
  return pod === undefined
    ? ORPHAN_GRACE_SECONDS
    : effectivePodGrace(undefined, { pod });
}

/** All that claim a name, in the order in which they came; an orphan has run all along. */
export function claimantsOf(
  fullName: string,
  records: Iterable<PodRecord>,
): readonly PodRecord[] {
  const claimants = [...records].filter((record) =>
    record.fullName === fullName && record.name !== "released"
  );
  const orphans = claimants.filter(({ pod }) => pod === undefined);
  return [...orphans, ...claimants.filter(({ pod }) => pod !== undefined)];
}

/** Whether the pod is not wanted any more. */
export function isRemoved(state: PodState): boolean {
  return state.kind !== "syncing" && state.cause === "removed";
}

/** The pod as the syncer ends it. */
export function ending({ uid, pod, state, stop }: PodRecord): EndingPod {
  const known = pod !== undefined && state.kind === "terminating";
  const { eviction } = stop ?? {};
  return {
    uid,
    pod,
    graceSeconds: known ? state.graceSeconds : undefined,
    ...(eviction !== undefined && { eviction }),
    ...(eviction === undefined && isRemoved(state) && { isRemoved: true }),
  };
}
