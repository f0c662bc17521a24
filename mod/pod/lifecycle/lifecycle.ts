/**
 * The life of one pod on this node, as states and the signals between them.
 *
 * @module
 */

import { MIN_POD_GRACE_SECONDS } from "./grace.ts";

/**
 * Why a pod stops. A later cause replaces an earlier one when it stands further
 * down in this list: what is removed is cleaned up wholly, however it ended.
 *
 * - `completed` its containers ended and none is to restart
 * - `evicted` the node took it down
 * - `removed` no source lists it any more
 */
export type StopCause = "completed" | "evicted" | "removed";

/**
 * Where one pod stands on this node; each state carries only what it needs.
 *
 * ```text
 *                 stop_requested
 *                 pod_completed         containers_stopped       resources_released
 *  ┌─────────┐                 ┌─────────────┐         ┌────────────┐         ┌──────────┐
 *  │ syncing │────────────────▶│ terminating │────────▶│ terminated │────────▶│ finished │
 *  └─────────┘                 └─────────────┘         └────────────┘         └──────────┘
 *                                │         ▲             │        ▲             │      ▲
 *                                └─────────┘             └────────┘             └──────┘
 *                              stop_requested          stop_requested        stop_requested
 *                             (grace may shrink)       (cause may grow)      (cause may grow)
 * ```
 */
export type PodState =
  /** It is made to run. */
  | { readonly kind: "syncing" }
  /** Its containers are being stopped. */
  | {
    readonly kind: "terminating";
    readonly cause: StopCause;
    readonly graceSeconds: number;
  }
  /** Nothing of it runs; what it held is being released. */
  | {
    readonly kind: "terminated";
    readonly cause: StopCause;
    readonly atMs: number;
  }
  /** Nothing is left to do. */
  | { readonly kind: "finished"; readonly cause: StopCause };

/** Those of a pod that is not made to run any more. */
export type StoppingState = Exclude<PodState, { readonly kind: "syncing" }>;

/** What moves a pod from one state to another. */
export type PodSignal =
  | {
    readonly kind: "stop_requested";
    readonly cause: Exclude<StopCause, "completed">;
    /** See {@linkcode effectivePodGrace}. */
    readonly graceSeconds: number;
  }
  /** A sync found a terminal phase. */
  | { readonly kind: "pod_completed"; readonly graceSeconds: number }
  | { readonly kind: "containers_stopped"; readonly atMs: number }
  | { readonly kind: "resources_released" };

/**
 * The state after `signal`.
 *
 * @throws {Error} On a pair that cannot happen: that is a bug of the caller.
 */
export function stepPod(state: PodState, signal: PodSignal): StoppingState {
  switch (signal.kind) {
    case "stop_requested":
      return requestStop(state, signal);
    case "pod_completed":
      return complete(state, signal);
    case "containers_stopped":
      if (state.kind !== "terminating") throw impossible(state, signal);
      return { kind: "terminated", cause: state.cause, atMs: signal.atMs };
    case "resources_released":
      if (state.kind !== "terminated") throw impossible(state, signal);
      return { kind: "finished", cause: state.cause };
  }
}

/**
 * Whether work begun in `before` must be cut short because of `after`: the pod is
 * to stop now, or sooner than it was.
 */
export function interruptsWork(before: PodState, after: PodState): boolean {
  if (after.kind !== "terminating") return false;
  if (before.kind !== "terminating") return true;
  return after.graceSeconds < before.graceSeconds;
}

const CAUSE_RANK: Readonly<Record<StopCause, number>> = {
  completed: 0,
  evicted: 1,
  removed: 2,
};

function requestStop(
  state: PodState,
  signal: PodSignal & { kind: "stop_requested" },
): StoppingState {
  const graceSeconds = atLeastMinimum(signal.graceSeconds);
  switch (state.kind) {
    case "syncing":
      return { kind: "terminating", cause: signal.cause, graceSeconds };
    case "terminating":
      return {
        kind: "terminating",
        cause: graver(state.cause, signal.cause),
        graceSeconds: Math.min(state.graceSeconds, graceSeconds),
      };
    case "terminated":
    case "finished":
      return { ...state, cause: graver(state.cause, signal.cause) };
  }
}

function complete(
  state: PodState,
  signal: PodSignal & { kind: "pod_completed" },
): StoppingState {
  switch (state.kind) {
    case "syncing":
      return {
        kind: "terminating",
        cause: "completed",
        graceSeconds: atLeastMinimum(signal.graceSeconds),
      };
    case "terminating":
      // The request came while the sync that found this was under way.
      return state;
    case "terminated":
    case "finished":
      throw impossible(state, signal);
  }
}

function graver(a: StopCause, b: StopCause): StopCause {
  return CAUSE_RANK[b] > CAUSE_RANK[a] ? b : a;
}

function atLeastMinimum(graceSeconds: number): number {
  return Math.max(MIN_POD_GRACE_SECONDS, graceSeconds);
}

function impossible(state: PodState, signal: PodSignal): Error {
  return new Error(
    `Cannot apply signal "${signal.kind}": the pod is in state "${state.kind}"`,
  );
}
