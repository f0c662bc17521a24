/**
 * What a plan does and why, step by step.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../api/types/mod.ts";
import { findContainer, isRestartableInit } from "../api/vocabulary/mod.ts";
import {
  containerRestartPolicy,
  judgeEnd,
  judgeInitEnd,
  latestContainer,
  type ObservedPod,
} from "../pod/observed/mod.ts";
import type { KillStep, PodPlan, SandboxFault } from "../pod/plan/mod.ts";

/**
 * Says each step of a plan and why it is taken, or that there is nothing to do.
 *
 * @param plan `undefined` where there was none to make
 * @param observed the look that the plan was made from
 */
export function explainPlan(
  plan: PodPlan | undefined,
  pod: Pod,
  observed: ObservedPod,
): readonly string[] {
  if (plan === undefined) return ["no plan was made"];
  const seen = { plan, pod, observed };
  const steps = [
    ...sandboxSteps(seen),
    ...plan.reset.map(({ containerName, kill }) =>
      `${kill ? "kill and remove" : "remove"} ${containerName}: ` +
      "a container ended with a code that restarts all of them"
    ),
    ...plan.kill.map((step) =>
      `kill ${step.containerName}: ${killWords(step)}`
    ),
    ...(plan.resize?.updates ?? []).map(({ containerName, resource }) =>
      `resize ${resource} of ${containerName}: its spec says another amount`
    ),
    ...plan.resize?.podAfter === undefined
      ? []
      : ["resize the pod as a whole: its spec says another amount"],
    ...plan.postStart.map(({ containerName }) =>
      `run the postStart hook of ${containerName}: nobody knows whether it ran`
    ),
    ...startSteps(seen),
  ];
  return steps.length > 0 ? steps : [nothingToDo(seen)];
}

/** Why a container is stopped, in a few words. */
export function killWords({ reason, isResized }: KillStep): string {
  return STOP_WORDS[isResized ? "resized" : reason];
}

/** What the reasons of stops mean, of those in plans and of those in events. */
export const STOP_WORDS: Readonly<
  Record<KillStep["reason"] | "resized", string>
> = {
  spec_changed: "its definition changed",
  resized: "its new resources need a restart",
  liveness_failed: "its liveness probe failed",
  startup_failed: "its startup probe failed",
  state_unknown: "nobody knows its state",
  superseded: "there is a newer one of its name",
  sandbox_replaced: "its sandbox was replaced",
  not_in_spec: "the spec does not name it any more",
  pod_stopping: "the pod is being stopped",
  post_start_failed: "its postStart hook failed",
};

interface PlanContext {
  readonly plan: PodPlan;
  readonly pod: Pod;
  readonly observed: ObservedPod;
}

function sandboxSteps(seen: PlanContext): readonly string[] {
  const { sandbox } = seen.plan;
  switch (sandbox.kind) {
    case "keep":
      return [];
    case "create": {
      const what = sandbox.replacesId === undefined ? "create" : "replace";
      return [`${what} sandbox: ${SANDBOX_FAULTS[sandbox.why]}`];
    }
    case "stop":
      return [`stop the pod: ${whyStop(seen)}`];
  }
}

const SANDBOX_FAULTS: Readonly<Record<SandboxFault, string>> = {
  none_exists: "there is none",
  several_ready: "more than one is ready",
  name_differs: "it has the name that the pod had before",
  not_ready: "it is not ready any more",
  network_mode_differs: "the pod is to have another kind of network",
  no_address: "it has no address",
  class_differs: "its new resources need another one",
};

function whyStop({ pod, observed }: PlanContext): string {
  const { initContainers = [], containers } = pod.spec;
  const endOf = (container: ContainerSpec) => {
    const seen = latestContainer(observed, container.name);
    return seen?.state === "exited" ? seen : undefined;
  };
  const failed = initContainers.find((container) => {
    const end = endOf(container);
    return end && judgeInitEnd(container, pod, end) === "leave";
  });
  const ended = (failed === undefined ? containers : [failed])
    .flatMap((container) => {
      const end = endOf(container);
      const policy = containerRestartPolicy(container, pod);
      return end === undefined ? [] : [
        `${container.name} ended with code ${end.exitCode} and its policy is ${policy}`,
      ];
    });
  return ended.join("; ") || "none of its containers is to run again";
}

function startSteps(seen: PlanContext): readonly string[] {
  const { plan } = seen;
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["ephemeral container", plan.startEphemeral],
    ["init container", plan.startInit],
    ["container", plan.start],
  ];
  return lists.flatMap(([kind, names]) =>
    names.map((name) => `start ${kind} ${name}: ${whyStart(name, seen)}`)
  );
}

function whyStart(name: string, { pod, observed }: PlanContext): string {
  const container = findContainer(pod, name);
  const latest = latestContainer(observed, name);
  if (latest === undefined || container === undefined) {
    return "it has not run yet";
  }
  const policy = containerRestartPolicy(container, pod);
  switch (latest.state) {
    case "created":
      return "it was made but did not start";
    case "running":
      return `it is stopped first and its policy is ${policy}`;
    case "unknown":
      return "nobody knows what became of it";
    case "exited": {
      const { exitCode } = latest;
      const verdict = judgeEnd(container, pod, latest);
      if (latest.stopped !== undefined) return "it was stopped to start again";
      if (verdict === "leave") {
        return "the pod begins anew in another sandbox";
      }
      const { restartPolicyRules: rules, ...plain } = container;
      const isRuled = rules !== undefined &&
        judgeEnd(plain, pod, latest) !== verdict;
      return isRuled
        ? `it exited with code ${exitCode} and a rule says to restart it`
        : `it exited with code ${exitCode} and its policy is ${policy}`;
    }
  }
}

/** Where an init container runs, that is what is waited for. */
function nothingToDo({ pod, observed }: PlanContext): string {
  const running = (pod.spec.initContainers ?? []).find((container) =>
    !isRestartableInit(container) &&
    latestContainer(observed, container.name)?.state === "running"
  );
  return running === undefined
    ? "nothing to do"
    : `nothing to do: init container ${running.name} runs`;
}
