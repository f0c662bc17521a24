/**
 * Whether a container that ended runs again: the pod's restart policy, the
 * container's own, and its exit code rules.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import {
  currentContainer,
  isInNewestSandbox,
  latestContainer,
  type ObservedContainer,
  type ObservedPod,
} from "./observed.ts";

/** Restart policy of a pod. */
export type RestartPolicy = "Always" | "OnFailure" | "Never";

/** What the end of a container asks for. */
export type ExitVerdict = "leave" | "restart" | "restart_all";

/** How a container ended, as far as its next start goes. */
export interface ContainerEnd
  extends Pick<ObservedContainer, "exitCode" | "stopped"> {
  /** @default whatever ends with another code than 0 */
  readonly isFailure?: boolean;
}

/** The restart policy that holds for one container: its own, else the pod's. */
export function containerRestartPolicy(
  container: ContainerSpec,
  pod: Pod,
): RestartPolicy {
  return policyIn(container) ?? policyIn(pod.spec) ?? "Always";
}

const POLICIES: readonly RestartPolicy[] = ["Always", "OnFailure", "Never"];

function policyIn(
  { restartPolicy }: { readonly restartPolicy?: string },
): RestartPolicy | undefined {
  return POLICIES.find((policy) => policy === restartPolicy);
}

/**
 * Judges the end of a container.
 *
 * Rules count only beside a restart policy of the container's own, and the first that
 * matches decides (kubelet: podutil.ContainerShouldRestart). The code of a container that
 * the agent stopped does not count: the agent's reason decides.
 */
export function judgeEnd(
  container: ContainerSpec,
  pod: Pod,
  end: ContainerEnd,
): ExitVerdict {
  const { exitCode, stopped, isFailure = exitCode !== 0 } = end;
  switch (stopped) {
    case "to_restart":
      return "restart";
    case "as_failed":
      return restartsAfterKill(container, pod) ? "restart" : "leave";
  }
  const action = matchingAction(container, exitCode);
  if (action === "RestartAllContainers") return "restart_all";
  if (action === "Restart") return "restart";
  switch (containerRestartPolicy(container, pod)) {
    case "Always":
      return "restart";
    case "OnFailure":
      return isFailure ? "restart" : "leave";
    case "Never":
      return "leave";
  }
}

/**
 * Judges the end of an ordinary init container. One that the kernel took a process of
 * for its memory has failed, even if it ended with 0.
 *
 * @returns `undefined` when it has done its work
 */
export function judgeInitEnd(
  container: ContainerSpec,
  pod: Pod,
  end: Omit<ContainerEnd, "isFailure"> & { readonly reason?: string },
): ExitVerdict | undefined {
  const isFailure = end.exitCode !== 0 || end.reason === "OOMKilled";
  if (!isFailure && end.stopped === undefined) return undefined;
  return judgeEnd(container, pod, { ...end, isFailure });
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
 * (kubelet: kubecontainer.ShouldContainerBeRestarted, which does not ask in which
 * sandbox a container ended).
 */
export function isDueToStart(
  container: ContainerSpec,
  pod: Pod,
  observed: ObservedPod,
): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  const seen = latestContainer(observed, container.name);
  if (seen === undefined || !isInNewestSandbox(observed, seen)) {
    return runsInNewSandbox(container, pod, seen);
  }
  switch (seen.state) {
    case "running":
      return false;
    case "created":
    case "unknown":
      return true;
    case "exited":
      return judgeEnd(container, pod, seen) !== "leave";
  }
}

/**
 * Whether an app container that an older sandbox left in this state runs once more.
 *
 * A pod whose policy is Never does not begin anew, but what never ran in it, or is
 * to restart by a policy of its own, has a right to. (The kubelet leaves all of such
 * a pod, which may then stay Pending for ever.)
 */
export function runsInNewSandbox(
  container: ContainerSpec,
  pod: Pod,
  left: ObservedContainer | undefined,
): boolean {
  if (left === undefined) return true;
  const isNever = pod.spec.restartPolicy === "Never";
  switch (left.state) {
    case "created":
    case "unknown":
      return true;
    case "running":
      return !isNever || restartsAfterKill(container, pod);
    case "exited":
      // In other pods only what has succeeded for good has no work left.
      return judgeEnd(container, pod, left) !== "leave" ||
        !isNever &&
          containerRestartPolicy(container, pod) !== "OnFailure";
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
 * The records that ask for a restart of all containers by how they ended, each the
 * newest of its name: apps first, in spec order. A deleted pod has none.
 *
 * They are removed last, so the answer survives an agent that dies half way.
 */
export function resetRequests(
  pod: Pod,
  observed: ObservedPod,
): readonly ObservedContainer[] {
  if (pod.metadata.deletionTimestamp !== undefined) return [];
  return ruledContainers(pod).flatMap((container) => {
    const seen = currentContainer(observed, container.name);
    return seen?.state === "exited" &&
        judgeEnd(container, pod, seen) === "restart_all"
      ? [seen]
      : [];
  });
}

function ruledContainers(pod: Pod): readonly ContainerSpec[] {
  return [...pod.spec.containers, ...pod.spec.initContainers ?? []];
}

function matchingAction(
  container: ContainerSpec,
  exitCode: number,
): string | undefined {
  if (container.restartPolicy === undefined) return undefined;
  for (const rule of container.restartPolicyRules ?? []) {
    const { operator, values = [] } = rule.exitCodes ?? {};
    const listed = values.includes(exitCode);
    const matches = operator === "In"
      ? listed
      : operator === "NotIn" && !listed;
    if (matches) return rule.action;
  }
  return undefined;
}
