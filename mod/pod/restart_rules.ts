/**
 * Whether a container that ended runs again: the pod's restart policy, the
 * container's own, and its exit code rules.
 *
 * @module
 */

import {
  type ContainerSpec,
  type Pod,
  type RestartPolicy,
  restartPolicyOf,
} from "../api/mod.ts";
import { latestContainer, type ObservedPod } from "./observed.ts";

/** What the end of a container asks for. */
export type ExitVerdict = "leave" | "restart" | "restart_all";

/** The restart policy that holds for one container: its own, else the pod's. */
export function containerRestartPolicy(
  container: ContainerSpec,
  pod: Pod,
): RestartPolicy {
  const own = container.restartPolicy;
  if (own === "Always" || own === "OnFailure" || own === "Never") return own;
  return restartPolicyOf(pod);
}

/**
 * Judges the exit code of a container.
 *
 * Rules count only beside a restart policy of the container's own, and the
 * first that matches decides (kubelet: podutil.ContainerShouldRestart).
 */
export function judgeExit(
  container: ContainerSpec,
  pod: Pod,
  exitCode: number,
): ExitVerdict {
  const action = matchingAction(container, exitCode);
  if (action === "RestartAllContainers") return "restart_all";
  if (action === "Restart") return "restart";
  switch (containerRestartPolicy(container, pod)) {
    case "Always":
      return "restart";
    case "OnFailure":
      return exitCode === 0 ? "leave" : "restart";
    case "Never":
      return "leave";
  }
}

/**
 * Whether a container killed for a failed probe, or lost, is started again.
 *
 * Exit code rules are not asked: the kill, not the program, chose the code.
 */
export function restartsAfterKill(container: ContainerSpec, pod: Pod): boolean {
  return containerRestartPolicy(container, pod) !== "Never";
}

/**
 * Whether a container that does not run is due to start
 * (kubelet: kubecontainer.ShouldContainerBeRestarted).
 */
export function isDueToStart(
  container: ContainerSpec,
  pod: Pod,
  observed: ObservedPod,
): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  const seen = latestContainer(observed, container.name);
  if (seen === undefined) return true;
  switch (seen.state) {
    case "running":
      return false;
    case "created":
    case "unknown":
      return true;
    case "exited":
      return judgeExit(container, pod, seen.exitCode) !== "leave";
  }
}

/** Whether some container of the pod can ask for a restart of all of them. */
export function canRestartAll(pod: Pod): boolean {
  return ruledContainers(pod).some((container) =>
    container.restartPolicyRules?.some((rule) =>
      rule.action === "RestartAllContainers"
    )
  );
}

/**
 * Whether all containers are to be restarted now: the newest record of some
 * container ended in a way that asks for it.
 *
 * The records that ask are removed last, so the answer survives an agent that
 * dies half way.
 */
export function restartAllIsDue(pod: Pod, observed: ObservedPod): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  return ruledContainers(pod).some((container) => {
    const seen = latestContainer(observed, container.name);
    return seen?.state === "exited" &&
      judgeExit(container, pod, seen.exitCode) === "restart_all";
  });
}

function ruledContainers(pod: Pod): readonly ContainerSpec[] {
  return [...pod.spec.initContainers ?? [], ...pod.spec.containers];
}

function matchingAction(
  container: ContainerSpec,
  exitCode: number,
): string | undefined {
  if (container.restartPolicy === undefined) return undefined;
  for (const rule of container.restartPolicyRules ?? []) {
    if (rule.exitCodes === undefined) continue;
    const listed = (rule.exitCodes.values ?? []).includes(exitCode);
    const matches = rule.exitCodes.operator === "In"
      ? listed
      : rule.exitCodes.operator === "NotIn" && !listed;
    if (matches) return rule.action;
  }
  return undefined;
}
