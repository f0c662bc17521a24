/**
 * What the workers remember of one pod.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import {
  effectivePodGrace,
  initialPodState,
  type PodState,
} from "../../pod/lifecycle/mod.ts";
import type { PodEviction } from "../../pod/status/mod.ts";
import type { EndingPod } from "./ports.ts";

/** One pod UID's life on this node. Only the workers write it. */
export interface PodRecord {
  readonly uid: string;
  readonly fullName: string;
  /** Absent for a pod that only the runtime knows. */
  pod: Pod | undefined;
  /** The newest version that was asked for, as its source has it; none when it is to go. */
  wanted: Pod | undefined;
  /** The version that the last sync found, or made, as it should be. */
  settledPod: Pod | undefined;
  state: PodState;
  /** The same UID, which has its place on the node again when this one has ended. */
  next: Pod | undefined;
  /** How far its stop is; it is put off while its successor has no images. */
  stop: "asked" | "deferred" | "begun";
  /** Wall time of the request to stop, for `deletionTimestamp`. */
  stopRequestedMs: number | undefined;
  retryMs: number | undefined;
  /** Monotonic time of the last step, if it failed. */
  failedAtMs: number | undefined;
  /** Something happened since the run that is under way began. */
  enqueued: boolean;
  /** It may have acted under its name. */
  ownsName: boolean;
  /** The last sync did not settle. */
  unsettled: boolean;
  /** Why the node took it down. */
  eviction: PodEviction | undefined;
  /** Ends the run that is under way, when what it works towards has changed. */
  cancel: AbortController | undefined;
}

/** What others may see of a worker. */
export interface WorkerView {
  readonly uid: string;
  readonly fullName: string;
  readonly pod: Pod | undefined;
  /** The newest version that was asked for, as its source has it; none when it is to go. */
  readonly wanted?: Pod | undefined;
  /** The same UID, which has its place on the node again when this one has ended. */
  readonly next?: Pod | undefined;
  /** The version of which the status tells, if all of it is as it should be. */
  readonly settledPod?: Pod | undefined;
  readonly state: PodState;
  /** How far its stop is. */
  readonly stop?: PodRecord["stop"];
  readonly stopRequestedMs: number | undefined;
}

/** What an orphan's state says where nobody knows better; the API's default. */
const ORPHAN_GRACE_SECONDS = 30;

/** The record of a pod of which nothing is known yet. */
export function newRecord(
  of: {
    readonly uid: string;
    readonly pod: Pod | undefined;
    /** As its source has it; absent for one that nobody wants. */
    readonly wanted: Pod | undefined;
    readonly fullName: string;
    readonly nowMs: number;
  },
): PodRecord {
  const { uid, pod, wanted, fullName, nowMs } = of;
  return {
    uid,
    fullName,
    pod,
    wanted,
    settledPod: undefined,
    state: initialPodState({ phase: undefined, somethingRuns: false, nowMs }),
    next: undefined,
    stop: "asked",
    stopRequestedMs: undefined,
    retryMs: undefined,
    failedAtMs: undefined,
    enqueued: false,
    // What only the runtime knows has run all along.
    ownsName: pod === undefined,
    unsettled: false,
    eviction: undefined,
    cancel: undefined,
  };
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

/** Whether nobody wants the pod any more. */
export function isRemoved(state: PodState): boolean {
  return state.kind !== "syncing" && state.cause === "removed";
}

/** The pod as those see it who end it. */
export function ending(record: PodRecord): EndingPod {
  const { uid, pod, state, eviction } = record;
  const known = pod !== undefined && state.kind === "terminating";
  return {
    uid,
    pod,
    graceSeconds: known ? state.graceSeconds : undefined,
    ...(eviction !== undefined && { eviction }),
    ...(eviction === undefined && isRemoved(state) && { isRemoved: true }),
  };
}
