/**
 * What the workers remember of one pod.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import {
  effectivePodGrace,
  type PodSignal,
  type PodState,
  stepPod,
  type StoppingState,
} from "../../pod/lifecycle/mod.ts";
import type { PodEviction } from "../../pod/status/mod.ts";
import type { EndingPod } from "./ports.ts";

/** What others may see of a worker. */
export interface WorkerView {
  readonly uid: string;
  readonly fullName: string;
  readonly state: WorkerState;
}

/** One pod UID's life on this node. Only the workers write it. */
export interface WorkerRecord extends WorkerView {
  state: WorkerState;
  /** How the last step ended that is over. */
  last: EndedStep;
  step: CurrentStep | undefined;
  /** It may have acted under its full name. */
  ownsName: boolean;
}

/** Where a pod stands, with all that counts there; see {@linkcode PodState}. */
export type WorkerState = SyncingPod | StoppingPod;

/** A pod that is made to run. */
export interface SyncingPod {
  readonly kind: "syncing";
  readonly pod: Pod;
  /** The newest version that was asked for, as its source has it. */
  readonly wanted: Pod;
  /** The version that the status is about, if all of it is as it should be. */
  readonly settledPod?: Pod | undefined;
}

/** A pod that ends, or has ended. */
export type StoppingPod = StoppingState & {
  /** `undefined` for a pod that only the runtime or the disk knows: an orphan. */
  readonly pod: Pod | undefined;
  /** The newest version that was asked for; `undefined` when it is to go. */
  readonly wanted: Pod | undefined;
  readonly stop: PodStop;
};

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

/** A step that is under way. */
export interface CurrentStep {
  /** Ends it when what it works towards has changed. */
  readonly cancel: AbortController;
  /** Something happened since it began. */
  isLookDue: boolean;
}

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

/** What an orphan's state says, of which no spec is known; the API's default. */
const ORPHAN_GRACE_SECONDS = 30;

/**
 * A pod that is removed and that no worker has: only the runtime or the disk knows of it,
 * or its source, which has asked it to end.
 */
export function orphaned(requestedMs: number, pod?: Pod): StoppingPod {
  return {
    kind: "terminating",
    cause: "removed",
    graceSeconds: pod === undefined
      ? ORPHAN_GRACE_SECONDS
      : effectivePodGrace(undefined, { pod }),
    pod,
    wanted: undefined,
    stop: { kind: "requested", requestedMs },
  };
}

/** The state after `signal`; what is known of the pod stays. */
export function stepped(state: WorkerState, signal: PodSignal): StoppingPod {
  const { pod, wanted } = state;
  const stop = stopOf(state) ?? { kind: "requested" };
  return { ...stepPod(state, signal), pod, wanted, stop };
}

/**
 * The pod is to go.
 *
 * @param as how its source asks it to end: with what grace, and since when
 */
export function removed(
  state: WorkerState,
  requestedMs: number,
  as?: Pod,
): StoppingPod {
  const pod = as === undefined ? state.pod : endingVersion(state.pod, as);
  const graceSeconds = graceOf({ pod });
  const signal = { kind: "stop_requested", cause: "removed" } as const;
  const after = stepped(state, { ...signal, graceSeconds });
  const stop = { requestedMs, ...after.stop, next: undefined };
  return { ...after, pod, wanted: undefined, stop };
}

/** What runs stays what it is, with the word of its source on its end. */
function endingVersion(pod: Pod | undefined, as: Pod): Pod {
  return pod === undefined ? as : { ...pod, metadata: as.metadata };
}

/**
 * Another version is wanted. A pod that is removed begins anew with it when it has ended;
 * one that ended by itself or was evicted does not.
 */
export function updated(
  state: WorkerState,
  version: Pick<SyncingPod, "pod" | "wanted">,
): WorkerState {
  if (state.kind === "syncing") return { ...state, ...version };
  const { pod: next, wanted } = version;
  return isRemoved(state)
    ? { ...state, wanted, stop: { ...state.stop, next } }
    : { ...state, wanted };
}

/** How far the stop of a pod is, if it stops. */
export function withStop(
  state: WorkerState,
  kind: PodStop["kind"],
): WorkerState {
  return state.kind === "syncing"
    ? state
    : { ...state, stop: { ...state.stop, kind } };
}

/** What was asked of a pod that stops; `undefined` for one that is made to run. */
export function stopOf(state: WorkerState): PodStop | undefined {
  return state.kind === "syncing" ? undefined : state.stop;
}

/** The pod that is made to run, or is kept running for the present. */
export function runningPod(state: WorkerState): Pod | undefined {
  const isToRun = state.kind === "syncing" || state.stop.kind === "deferred";
  return isToRun ? state.pod : undefined;
}

/**
 * How long the pod gets to end by its spec, in seconds; one that ends already keeps a
 * shorter grace. The spec of an orphan is unknown: its own grace is read from
 * the runtime's labels.
 */
export function graceOf({ pod }: Pick<WorkerState, "pod">): number {
  return pod === undefined
    ? ORPHAN_GRACE_SECONDS
    : effectivePodGrace(undefined, { pod });
}

/** Whether nothing of the pod runs any more, so that another may have its name. */
function hasEnded({ state }: WorkerView): boolean {
  return state.kind === "terminated" || state.kind === "finished";
}

/**
 * Those of the records of a name that claim it, in the order in which they came; an orphan
 * has run all along.
 */
export function claimantsOf(
  records: Iterable<WorkerRecord>,
): readonly WorkerRecord[] {
  const claimants = [...records].filter((record) => !hasEnded(record));
  const orphans = claimants.filter(({ state }) => state.pod === undefined);
  return [
    ...orphans,
    ...claimants.filter(({ state }) => state.pod !== undefined),
  ];
}

/** Whether the pod is not wanted any more. */
export function isRemoved(state: PodState): boolean {
  return state.kind !== "syncing" && state.cause === "removed";
}

/** The pod as the syncer ends it. */
export function ending({ uid, state }: WorkerView): EndingPod {
  const { pod } = state;
  const isKnown = pod !== undefined && state.kind === "terminating";
  const { eviction } = stopOf(state) ?? {};
  return {
    uid,
    pod,
    graceSeconds: isKnown ? state.graceSeconds : undefined,
    ...(eviction !== undefined && { eviction }),
    ...(eviction === undefined && isRemoved(state) && { isRemoved: true }),
  };
}
