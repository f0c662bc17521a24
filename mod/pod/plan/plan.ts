/**
 * What to do next for one pod: the kubelet's computePodActions as a pure function.
 *
 * @module
 */

import { containerHash } from "../../api/objects/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { findContainer, isRestartableInit } from "../../api/vocabulary/mod.ts";
import {
  currentContainer,
  isDueToStart,
  isInNewestSandbox,
  judgeInitEnd,
  latestContainer,
  type ObservedContainer,
  type ObservedPod,
  restartsAfterKill,
  runsInNewSandbox,
} from "../observed/mod.ts";
import { planInit } from "./plan_init.ts";
import { planReset } from "./plan_reset.ts";
import { planResize, type ResizeDecision } from "./plan_resize.ts";
import type {
  HookStep,
  KillReason,
  KillStep,
  PlanInput,
  PodPlan,
  ProbeVerdicts,
  SandboxStep,
} from "./plan_steps.ts";
import { decideSandbox } from "./sandbox_decision.ts";

/**
 * Plans one sync (kubelet: computePodActions). Reads no clock, calls no runtime,
 * logs nothing.
 *
 * A created sandbox starts the pod anew: the executor stops whatever runs, stops
 * the old sandboxes and removes every record of an init container first.
 */
export function planPod(input: PlanInput): PodPlan {
  const { pod, observed } = input;
  const sandbox = decideSandbox(pod, observed);
  const reset = planReset(pod, observed);
  const newest = observed.sandboxes[0];
  if (reset.length > 0 && newest !== undefined) {
    return {
      ...NOTHING,
      sandbox: { kind: "keep", sandboxId: newest.id, attempt: newest.attempt },
      reset,
    };
  }
  if (sandbox.kind === "keep") {
    const resize = planResize(pod, observed);
    if (resize.kind !== "replace") {
      return planInSandbox({ ...input, resize }, sandbox);
    }
    const { attempt, sandboxId: replacesId } = sandbox;
    return planNewSandbox(input, {
      kind: "create",
      attempt: attempt + 1,
      replacesId,
    });
  }
  const { attempt, replacesId } = sandbox;
  return planNewSandbox(input, { kind: "create", attempt, replacesId });
}

/** Says in a few words what a plan does, for logs and tests. */
export function describePlan(plan: PodPlan): string {
  const words = [describeSandbox(plan.sandbox)];
  for (const step of plan.reset) {
    words.push(
      `${step.kill ? "kill and remove" : "remove"} ${step.containerName}`,
    );
  }
  for (const step of plan.kill) {
    words.push(`kill ${step.containerName} (${step.reason})`);
  }
  for (const { containerName, resource } of plan.resize?.updates ?? []) {
    words.push(`resize ${resource} of ${containerName}`);
  }
  if (plan.resize?.podAfter !== undefined) words.push("resize pod");
  for (const { containerName } of plan.postStart) {
    words.push(`run postStart of ${containerName}`);
  }
  const starts: readonly [string, readonly string[]][] = [
    ["ephemeral", plan.startEphemeral],
    ["init", plan.startInit],
    ["", plan.start],
  ];
  for (const [kind, names] of starts) {
    if (names.length === 0) continue;
    words.push(`start ${kind}${kind === "" ? "" : " "}${names.join(" ")}`);
  }
  return words.join(", ");
}

const NOTHING = {
  kill: [],
  reset: [],
  postStart: [],
  startEphemeral: [],
  startInit: [],
  start: [],
} as const;

const STOP: PodPlan = { ...NOTHING, sandbox: { kind: "stop" } };

function planNewSandbox(
  input: PlanInput,
  sandbox: SandboxStep & { kind: "create" },
): PodPlan {
  const { pod, observed } = input;
  if (initHasFailed(input)) return STOP;
  const start = pod.spec.containers
    .filter((container) =>
      runsInNewSandbox(
        container,
        pod,
        latestContainer(observed, container.name),
      )
    )
    .map((container) => container.name);
  if (start.length === 0) return STOP;
  const firstInit = pod.spec.initContainers?.[0];
  return firstInit === undefined
    ? { ...NOTHING, sandbox, start }
    : { ...NOTHING, sandbox, startInit: [firstInit.name] };
}

/**
 * Whether an init container failed for good in the sandbox that is to be replaced; one
 * that is cut off in its only run has.
 */
function initHasFailed({ pod, observed }: PlanInput): boolean {
  return (pod.spec.initContainers ?? []).some((container) => {
    if (isRestartableInit(container)) return false;
    const seen = currentContainer(observed, container.name);
    if (seen?.state === "running") return !restartsAfterKill(container, pod);
    return seen?.state === "exited" &&
      judgeInitEnd(container, pod, seen) === "leave";
  });
}

/** What is looked at within a sandbox that stays. */
interface KeptInput extends PlanInput {
  readonly resize: ResizeDecision;
}

function planInSandbox(
  input: KeptInput,
  sandbox: SandboxStep & { kind: "keep" },
): PodPlan {
  const { pod, observed } = input;
  const init = planInit(input);
  if (init.kind === "failed") return STOP;
  const startEphemeral = (pod.spec.ephemeralContainers ?? [])
    .filter((each) => latestContainer(observed, each.name) === undefined)
    .map((each) => each.name);
  const plan = {
    ...NOTHING,
    sandbox,
    startEphemeral,
    startInit: init.start,
    kill: [...init.kill, ...resizedSidecars(input)],
    ...(input.resize.kind === "resize" && { resize: input.resize.plan }),
  };
  if (!init.initialized) return completed(plan, input);

  const kill = [...plan.kill];
  const start: string[] = [];
  let kept = 0;
  for (const container of pod.spec.containers) {
    const verdict = judgeContainer(container, input);
    if (verdict.kill !== undefined) kill.push(verdict.kill);
    if (verdict.start) start.push(container.name);
    if (verdict.keep) kept++;
  }
  // Sidecars do not keep a pod alive. Upstream forgets here why the last container is
  // stopped, and with it the grace that its probe asks for.
  if (kept === 0 && start.length === 0) return { ...STOP, kill };
  return completed({ ...plan, kill, start }, input);
}

/** The plan that also stops what has no place in the sandbox, and runs hooks that are due. */
function completed(plan: PodPlan, { pod, observed }: PlanInput): PodPlan {
  const starts = new Set([...plan.startInit, ...plan.start]);
  const unwanted = findUnwanted(pod, observed, starts);
  const kill = [...unwanted, ...plan.kill];
  const killed = new Set(kill.map(({ containerId }) => containerId));
  return { ...plan, kill, postStart: hooksDue({ pod, observed }, killed) };
}

/**
 * PostStart hooks of running containers that were cut off or never begun: the answer
 * to the start was lost, or the agent ended meanwhile. A hook is meant to run at least
 * once (the kubelet passes over it).
 */
function hooksDue(
  { pod, observed }: Pick<PlanInput, "pod" | "observed">,
  killed: ReadonlySet<string>,
): readonly HookStep[] {
  const { initContainers = [], containers } = pod.spec;
  return [...initContainers, ...containers].flatMap(({ name, lifecycle }) => {
    const seen = currentContainer(observed, name);
    return lifecycle?.postStart === undefined || seen?.state !== "running" ||
        seen.postStartDue !== true || killed.has(seen.id)
      ? []
      : [{ containerId: seen.id, containerName: name }];
  });
}

/** Sidecars that are stopped to get other resources; being sidecars they start again. */
function resizedSidecars({ pod, observed, resize }: KeptInput): KillStep[] {
  if (resize.kind !== "resize") return [];
  return (pod.spec.initContainers ?? []).flatMap(({ name }) => {
    const seen = currentContainer(observed, name);
    if (seen === undefined || !resize.restarts.has(name)) return [];
    const message = `Container ${name} resize requires restart`;
    return [{ ...killStep(seen, "spec_changed", message), isResized: true }];
  });
}

interface Verdict {
  readonly keep: boolean;
  readonly start: boolean;
  readonly kill: KillStep | undefined;
}

function judgeContainer(container: ContainerSpec, input: KeptInput): Verdict {
  const { pod, observed } = input;
  const seen = currentContainer(observed, container.name);
  if (seen?.state === "running") {
    return judgeRunning(container, seen, input);
  }
  const start = isDueToStart(container, pod, observed);
  // It may still run: stop it first, so that two never run at once.
  const kill = start && seen?.state === "unknown"
    ? killStep(
      seen,
      "state_unknown",
      `Container ${seen.name} is in an unknown state, will be restarted`,
    )
    : undefined;
  return { keep: false, start, kill };
}

function judgeRunning(
  container: ContainerSpec,
  seen: ObservedContainer,
  { pod, probes, resize }: KeptInput,
): Verdict {
  const fault = findFault(container, seen, probes) ??
    resizeFault(container, resize);
  if (fault === undefined) return { keep: true, start: false, kill: undefined };
  // A changed definition outranks the restart policy.
  const restart = fault.reason === "spec_changed" ||
    restartsAfterKill(container, pod);
  const message = restart
    ? `Container ${container.name} ${fault.what}, will be restarted`
    : `Container ${container.name} ${fault.what}`;
  return {
    keep: false,
    start: restart,
    kill: {
      ...killStep(seen, fault.reason, message),
      ...fault.isResized && { isResized: true },
    },
  };
}

/** Why a container that runs is stopped. */
interface Fault {
  readonly reason: KillReason;
  readonly what: string;
  readonly isResized?: true;
}

function findFault(
  container: ContainerSpec,
  seen: ObservedContainer,
  probes: ProbeVerdicts,
): Fault | undefined {
  if (seen.hash !== containerHash(container)) {
    return { reason: "spec_changed", what: "definition changed" };
  }
  if (probes.liveness(seen.id) === "failure") {
    return { reason: "liveness_failed", what: "failed liveness probe" };
  }
  if (probes.startup(seen.id) === "failure") {
    return { reason: "startup_failed", what: "failed startup probe" };
  }
  return undefined;
}

function resizeFault(
  { name }: ContainerSpec,
  resize: ResizeDecision,
): Fault | undefined {
  return resize.kind === "resize" && resize.restarts.has(name)
    ? {
      reason: "spec_changed",
      what: "resize requires restart",
      isResized: true,
    }
    : undefined;
}

function killStep(
  seen: ObservedContainer,
  reason: KillReason,
  message: string,
): KillStep {
  return { containerId: seen.id, containerName: seen.name, reason, message };
}

function describeSandbox(sandbox: SandboxStep): string {
  switch (sandbox.kind) {
    case "keep":
      return "keep sandbox";
    case "create":
      return sandbox.replacesId === undefined
        ? `create sandbox ${sandbox.attempt}`
        : `replace sandbox by ${sandbox.attempt}`;
    case "stop":
      return "stop pod";
  }
}

/**
 * Lists the running containers that the spec does not name, that are in a sandbox
 * which was replaced, or that are not the newest of their name.
 *
 * There should be none of the latter two; one may be left by a call whose answer got
 * lost, and two must never run at once. (The kubelet looks at the newest of each name in
 * the spec alone: what an edit of the manifest renames runs on there, unseen.)
 *
 * @param starts the names of what is to start: what older sandboxes may still run of
 * them is stopped too
 */
export function findUnwanted(
  pod: Pod,
  observed: ObservedPod,
  starts: ReadonlySet<string>,
): readonly KillStep[] {
  return observed.containers.flatMap((seen) => {
    const isInPlace = isInNewestSandbox(observed, seen);
    if (seen.state === "unknown") {
      return !isInPlace && starts.has(seen.name)
        ? [step(seen, "sandbox_replaced", "may run in a replaced sandbox")]
        : [];
    }
    if (seen.state !== "running") return [];
    if (findContainer(pod, seen.name) === undefined) {
      return [step(seen, "not_in_spec", "is not in the spec any more")];
    }
    if (!isInPlace) {
      return [step(seen, "sandbox_replaced", "runs in a replaced sandbox")];
    }
    return currentContainer(observed, seen.name) === seen
      ? []
      : [step(seen, "superseded", "was superseded by a newer one")];
  });
}

function step(
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
