/**
 * Builds what others see of the worker of a pod.
 *
 * @module
 */

import type { WorkerView } from "../../../mod/agent/workers/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { podFullName } from "../../../mod/api/vocabulary/mod.ts";
import type { PodState } from "../../../mod/pod/lifecycle/mod.ts";

type Stopping = Extract<WorkerView["state"], { readonly stop: unknown }>;

/** How the pod stands; by default it is made to run. */
export interface WorkerFacts {
  readonly state?: PodState;
  /** Of a pod that stops. */
  readonly stop?: Stopping["stop"];
  /** The version that its source has. @default the pod, or none when it is removed */
  readonly wanted?: Pod;
  /** Of a pod that is made to run. */
  readonly settledPod?: Pod;
  /** Whether the pod itself is not known, only the runtime has it. */
  readonly isOrphan?: boolean;
}

/** The worker of a pod. */
export function workerView(of: Pod, facts: WorkerFacts = {}): WorkerView {
  const { state = SYNCING, stop = { kind: "begun" }, settledPod } = facts;
  const view = { uid: of.metadata.uid, fullName: podFullName(of) };
  if (state.kind === "syncing") {
    const { wanted = of } = facts;
    return { ...view, state: { ...state, pod: of, wanted, settledPod } };
  }
  const { wanted = state.cause === "removed" ? undefined : of } = facts;
  const pod = facts.isOrphan === true ? undefined : of;
  return { ...view, state: { ...state, pod, wanted, stop } };
}

const SYNCING: PodState = { kind: "syncing" };
