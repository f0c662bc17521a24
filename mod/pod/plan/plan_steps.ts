/**
 * The plan of one sync, step by step, and what it is made from.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { ObservedContainer, ObservedPod } from "../observed/mod.ts";
import type { ResetStep } from "./plan_reset.ts";
import type { ResizePlan } from "./plan_resize.ts";

/** The last verdict of a probe on one container; `undefined` when it has not spoken. */
export type ProbeVerdict = "success" | "failure" | undefined;

/** What the probes last said, by container id. */
export interface ProbeVerdicts {
  liveness(containerId: string): ProbeVerdict;
  startup(containerId: string): ProbeVerdict;
}

/** Why a container is to be stopped. */
export type KillReason =
  | "spec_changed"
  | "liveness_failed"
  | "startup_failed"
  | "state_unknown"
  | "superseded"
  | "sandbox_replaced"
  | "not_in_spec"
  | "pod_stopping"
  | "post_start_failed";

/** A container to stop before anything is started. */
export interface KillStep {
  readonly containerId: string;
  readonly containerName: string;
  readonly reason: KillReason;
  /** It gets other resources, which take a restart. */
  readonly isResized?: true;
  /** The text of the Killing event. */
  readonly message: string;
}

/** Stops a container; `what` is the matter with it. */
export function killStep(
  seen: ObservedContainer,
  reason: KillReason,
  what: string,
): KillStep {
  return {
    containerId: seen.id,
    containerName: seen.name,
    reason,
    message: `Container ${seen.name} ${what}`,
  };
}

/** Why the newest sandbox does not do. */
export type SandboxFault =
  | "none_exists"
  | "several_ready"
  | "name_differs"
  | "not_ready"
  | "network_mode_differs"
  | "no_address"
  /** Its cgroup is in that of another class than the pod has now. */
  | "class_differs";

/** What happens to the pod's sandbox. */
export type SandboxStep =
  | {
    readonly kind: "keep";
    readonly sandboxId: string;
    readonly attempt: number;
  }
  | {
    readonly kind: "create";
    readonly attempt: number;
    /** The sandbox that this one replaces, if there was one. */
    readonly replacesId: string | undefined;
    readonly why: SandboxFault;
  }
  /** Stop all of the pod; nothing is to run. */
  | { readonly kind: "stop" };

/** A hook to run in a container that runs already. */
export interface HookStep {
  readonly containerId: string;
  readonly containerName: string;
}

/** One sync of one pod: stop, then sandbox, then start, in this order. */
export interface PodPlan {
  readonly sandbox: SandboxStep;
  /**
   * With a kept sandbox what is to be stopped; where all of the pod is stopped, why some
   * of it is.
   */
  readonly kill: readonly KillStep[];
  /**
   * All containers are restarted: these records are stopped and removed in this
   * order, nothing is started, and the pod is looked at again at once.
   */
  readonly reset: readonly ResetStep[];
  /** What running containers get other resources; absent when none does. */
  readonly resize?: ResizePlan;
  /** PostStart hooks of which it is not known that they ran, before anything starts. */
  readonly postStart: readonly HookStep[];
  readonly startEphemeral: readonly string[];
  /** In spec order; the executor stops at the first ordinary one that fails to start. */
  readonly startInit: readonly string[];
  readonly start: readonly string[];
}

/** Everything the planner looks at. */
export interface PlanInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly probes: ProbeVerdicts;
}
