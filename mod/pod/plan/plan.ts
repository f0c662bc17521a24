/**
 * What to do next for one pod: the kubelet's computePodActions as a pure function.
 *
 * @module
 */

import { containerHash } from "../../api/objects/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { findContainer } from "../../api/vocabulary/mod.ts";
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
import {
  type HookStep,
  type KillReason,
  type KillStep,
  killStep,
  type PlanInput,
  type PodPlan,
  type SandboxStep,
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
  if (sandbox.kind === "create") return planNewSandbox(input, sandbox);
  const resize = planResize(pod, observed);
  if (resize.kind !== "replace") {
    return planInSandbox({ ...input, resize }, sandbox);
  }
  return planNewSandbox(input, {
    kind: "create",
    attempt: sandbox.attempt + 1,
    replacesId: sandbox.sandboxId,
    why: "class_differs",
  });
}

/** Says in a few words what a plan does, for logs and tests. */
export function describePlan(plan: PodPlan): string {
  const starts: readonly (readonly [string, readonly string[]])[] = [
    ["start ephemeral", plan.startEphemeral],
    ["start init", plan.startInit],
    ["start", plan.start],
  ];
  return [
    describeSandbox(plan.sandbox),
    ...plan.reset.map(({ kill, containerName }) =>
      `${kill ? "kill and remove" : "remove"} ${containerName}`
    ),
    ...plan.kill.map(({ containerName, reason }) =>
      `kill ${containerName} (${reason})`
    ),
    ...(plan.resize?.updates ?? []).map(({ containerName, resource }) =>
      `resize ${resource} of ${containerName}`
    ),
    ...plan.resize?.podAfter === undefined ? [] : ["resize pod"],
    ...plan.postStart.map(({ containerName }) =>
      `run postStart of ${containerName}`
    ),
    ...starts.filter(([, names]) => names.length > 0)
      .map(([what, names]) => `${what} ${names.join(" ")}`),
  ].join(", ");
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

  const verdicts = pod.spec.containers.map((container) => ({
    name: container.name,
    ...judgeContainer(container, input),
  }));
  const kill = [...plan.kill, ...verdicts.flatMap((each) => each.kill ?? [])];
  const start = verdicts.filter((each) => each.start).map(({ name }) => name);
  // Sidecars do not keep a pod alive. Upstream forgets here why the last container is
  // stopped, and with it the grace that its probe asks for.
  const isKept = verdicts.some((each) => each.keep);
  if (!isKept && start.length === 0) return { ...STOP, kill };
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
    const kill = killStep(seen, "spec_changed", "resize requires restart");
    return [{ ...kill, isResized: true }];
  });
}

interface ContainerDecision {
  readonly keep: boolean;
  readonly start: boolean;
  readonly kill: KillStep | undefined;
}

function judgeContainer(
  container: ContainerSpec,
  input: KeptInput,
): ContainerDecision {
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
      "is in an unknown state, will be restarted",
    )
    : undefined;
  return { keep: false, start, kill };
}

function judgeRunning(
  container: ContainerSpec,
  seen: ObservedContainer,
  input: KeptInput,
): ContainerDecision {
  const fault = killCauseOf(container, seen, input);
  if (fault === undefined) return { keep: true, start: false, kill: undefined };
  // A changed definition outranks the restart policy.
  const restart = fault.reason === "spec_changed" ||
    restartsAfterKill(container, input.pod);
  const what = restart ? `${fault.what}, will be restarted` : fault.what;
  return {
    keep: false,
    start: restart,
    kill: {
      ...killStep(seen, fault.reason, what),
      ...fault.isResized && { isResized: true },
    },
  };
}

/** Why a container that runs is stopped. */
interface KillCause {
  readonly reason: KillReason;
  readonly what: string;
  readonly isResized?: true;
}

function killCauseOf(
  container: ContainerSpec,
  seen: ObservedContainer,
  { probes, resize }: KeptInput,
): KillCause | undefined {
  if (seen.hash !== containerHash(container)) {
    return { reason: "spec_changed", what: "definition changed" };
  }
  if (probes.liveness(seen.id) === "failure") {
    return { reason: "liveness_failed", what: "failed liveness probe" };
  }
  if (probes.startup(seen.id) === "failure") {
    return { reason: "startup_failed", what: "failed startup probe" };
  }
  if (resize.kind === "resize" && resize.restarts.has(container.name)) {
    const what = "resize requires restart";
    return { reason: "spec_changed", what, isResized: true };
  }
  return undefined;
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
function findUnwanted(
  pod: Pod,
  observed: ObservedPod,
  starts: ReadonlySet<string>,
): readonly KillStep[] {
  return observed.containers.flatMap((seen) => {
    const isInPlace = isInNewestSandbox(observed, seen);
    if (seen.state === "unknown") {
      return !isInPlace && starts.has(seen.name)
        ? [killStep(seen, "sandbox_replaced", "may run in a replaced sandbox")]
        : [];
    }
    if (seen.state !== "running") return [];
    if (findContainer(pod, seen.name) === undefined) {
      return [killStep(seen, "not_in_spec", "is not in the spec any more")];
    }
    if (!isInPlace) {
      return [killStep(seen, "sandbox_replaced", "runs in a replaced sandbox")];
    }
    return currentContainer(observed, seen.name) === seen
      ? []
      : [killStep(seen, "superseded", "was superseded by a newer one")];
  });
}
