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
import {
  decideSandbox,
  type KillStep,
  type PodPlan,
  type SandboxFault,
} from "../pod/plan/mod.ts";

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
    ...resetSteps(seen),
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
  switch (reason) {
    case "spec_changed":
      return isResized
        ? "its new resources need a restart"
        : "its definition changed";
    case "liveness_failed":
      return "its liveness probe failed";
    case "startup_failed":
      return "its startup probe failed";
    case "state_unknown":
      return "nobody knows its state";
    case "superseded":
      return "there is a newer one of its name";
    case "sandbox_replaced":
      return "its sandbox was replaced";
    case "not_in_spec":
      return "the spec does not name it any more";
    case "pod_stopping":
      return "the pod is being stopped";
    case "post_start_failed":
      return "its postStart hook failed";
  }
}

interface Seen {
  readonly plan: PodPlan;
  readonly pod: Pod;
  readonly observed: ObservedPod;
}

function sandboxSteps({ plan, pod, observed }: Seen): readonly string[] {
  const { sandbox } = plan;
  switch (sandbox.kind) {
    case "keep":
      return [];
    case "create": {
      const decision = decideSandbox(pod, observed);
      const why = decision.kind === "create"
        ? SANDBOX_FAULTS[decision.why]
        : "its new resources need another one";
      return sandbox.replacesId === undefined
        ? [`create sandbox: ${why}`]
        : [`replace sandbox: ${why}`];
    }
    case "stop":
      return [`stop the pod: ${whyStop({ plan, pod, observed })}`];
  }
}

const SANDBOX_FAULTS: Readonly<Record<SandboxFault, string>> = {
  none_exists: "there is none",
  several_ready: "more than one is ready",
  name_differs: "it has the name that the pod had before",
  not_ready: "it is not ready any more",
  network_mode_differs: "the pod is to have another kind of network",
  no_address: "it has no address",
};

function whyStop({ pod, observed }: Seen): string {
  const failed = (pod.spec.initContainers ?? []).flatMap((container) => {
    if (isRestartableInit(container)) return [];
    const seen = latestContainer(observed, container.name);
    const isFinal = seen?.state === "exited" &&
      judgeInitEnd(container, pod, seen) === "leave";
    return isFinal ? [endOf(container, { pod, exitCode: seen.exitCode })] : [];
  });
  if (failed[0] !== undefined) return failed[0];
  const ended = pod.spec.containers.flatMap((container) => {
    const seen = latestContainer(observed, container.name);
    return seen?.state === "exited"
      ? [endOf(container, { pod, exitCode: seen.exitCode })]
      : [];
  });
  return ended.length === 0
    ? "none of its containers is to run again"
    : ended.join("; ");
}

function endOf(
  container: ContainerSpec,
  { pod, exitCode }: { readonly pod: Pod; readonly exitCode: number },
): string {
  return `${container.name} ended with code ${exitCode} and its policy is ${
    containerRestartPolicy(container, pod)
  }`;
}

function resetSteps({ plan }: Seen): readonly string[] {
  return plan.reset.map(({ containerName, kill }) =>
    `${kill ? "kill and remove" : "remove"} ${containerName}: ` +
    "a container ended with a code that restarts all of them"
  );
}

function startSteps(seen: Seen): readonly string[] {
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

function whyStart(name: string, { pod, observed }: Seen): string {
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
      const isRuled = container.restartPolicyRules !== undefined &&
        judgeEnd(withoutRules(container), pod, latest) !== verdict;
      return isRuled
        ? `it exited with code ${exitCode} and a rule says to restart it`
        : `it exited with code ${exitCode} and its policy is ${policy}`;
    }
  }
}

function withoutRules(container: ContainerSpec): ContainerSpec {
  const { restartPolicyRules: _rules, ...rest } = container;
  return rest;
}

/** Where an init container runs, that is what is waited for. */
function nothingToDo({ pod, observed }: Seen): string {
  const running = (pod.spec.initContainers ?? []).find((container) =>
    !isRestartableInit(container) &&
    latestContainer(observed, container.name)?.state === "running"
  );
  return running === undefined
    ? "nothing to do"
    : `nothing to do: init container ${running.name} runs`;
}
