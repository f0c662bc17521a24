/**
 * What it means for a pod that the agent itself stops its containers.
 *
 * A container that obeys SIGTERM may end with 0, and would then count as done. If the start
 * of its successor failed, or the agent ended before it, the stop could not be recognized.
 *
 * @module
 */

import { findContainer, isRestartableInit } from "../../api/vocabulary/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import {
  containerRestartPolicy,
  type DeliberateStop,
  type ObservedPod,
} from "../observed/mod.ts";
import type { KillStep, PodPlan } from "./plan_steps.ts";

/** What is to be remembered of a container before it is stopped. */
export interface StopNote {
  readonly containerId: string;
  readonly containerName: string;
  readonly stopped: DeliberateStop;
}

/**
 * Lists what a plan stops whose end would say something else than it means. Nothing of
 * a container that starts again however it ends, nor of one that the spec does not
 * name.
 *
 * @param subject the pod and the look that the plan was made from
 */
export function stopNotes(
  plan: PodPlan,
  subject: { readonly pod: Pod; readonly observed: ObservedPod },
): readonly StopNote[] {
  const { pod } = subject;
  if (plan.sandbox.kind !== "keep") return wholeStop(subject, "as_failed");
  return judgedStops(
    pod,
    plan.kill.flatMap((step) => noteOf(step, plan) ?? []),
  );
}

/** The same of a pod of which all is stopped. */
export function wholeStop(
  { pod, observed }: { readonly pod: Pod; readonly observed: ObservedPod },
  stopped: DeliberateStop,
): readonly StopNote[] {
  const notes = observed.containers
    .filter(({ state }) => state === "running" || state === "unknown")
    .map(({ id, name }) => ({ containerId: id, containerName: name, stopped }));
  return judgedStops(pod, notes);
}

/** Those of containers whose end may decide that they do not run again. */
export function judgedStops(
  pod: Pod,
  notes: readonly StopNote[],
): readonly StopNote[] {
  return notes.filter(({ containerName }) => isJudged(pod, containerName));
}

function noteOf(step: KillStep, plan: PodPlan): StopNote | undefined {
  const { containerId, containerName, reason } = step;
  if (reason === "superseded" || reason === "not_in_spec") return undefined;
  const hasFailed = reason === "liveness_failed" || reason === "startup_failed";
  const starts = [...plan.startInit, ...plan.start];
  const stopped = !hasFailed && starts.includes(containerName)
    ? "to_restart"
    : "as_failed";
  return { containerId, containerName, stopped };
}

function isJudged(pod: Pod, name: string): boolean {
  const container = findContainer(pod, name);
  const isInit = pod.spec.initContainers?.some((each) => each.name === name);
  if (container === undefined) return false;
  if (isInit === true && isRestartableInit(container)) return false;
  return containerRestartPolicy(container, pod) !== "Always";
}
