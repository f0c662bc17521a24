/**
 * The conditions of a pod that the agent owns.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from "../../api/types/mod.ts";
import {
  isRestartableInit,
  servingContainers,
} from "../../api/vocabulary/mod.ts";
import { defined } from "../../base/mod.ts";
import { canRestartAll, type ObservedPod } from "../observed/mod.ts";
import { decideSandbox, planResize, type ResizeRefusal } from "../plan/mod.ts";
import { formatTime, parseTime } from "./timestamp.ts";

interface ConditionsInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly previous: PodStatus | undefined;
  /** App and init containers, by name. */
  readonly statuses: ReadonlyMap<string, ContainerStatus>;
  readonly phase: string;
  readonly restartingAll: boolean;
  /** Why the pod does not get the resources it asks for; absent when it may have them. */
  readonly resizeRefusal?: ResizeRefusal | undefined;
  /** Why the node takes the pod down; absent when it does not. */
  readonly disruption?: string | undefined;
  readonly nowMs: number;
}

/** The condition types that the agent writes; others are left alone. */
export const OWNED_CONDITIONS: ReadonlySet<string> = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  "PodResizePending",
  "PodResizeInProgress",
  "AllContainersRestarting",
]);

/** Says that a pod ends because it was taken down; other programs write it, too. */
export const DISRUPTION_TARGET: string = "DisruptionTarget";

/**
 * Builds the whole list: unmanaged conditions first, as they are, then the agent's
 * own in the kubelet's order. A transition time changes with the status only.
 */
export function buildConditions(input: ConditionsInput): PodCondition[] {
  const { pod, previous } = input;
  const unmanaged = (pod.status?.conditions ?? [])
    .filter(({ type }) => !OWNED_CONDITIONS.has(type));
  const disruption = input.disruption === undefined
    // Set once, on eviction or shutdown, and never computed again.
    ? findCondition(previous?.conditions, DISRUPTION_TARGET)
    : condition(DISRUPTION_TARGET, {
      status: "True",
      reason: "TerminationByKubelet",
      message: input.disruption,
    }, input);
  const kept = disruption === undefined
    ? unmanaged
    : [...unmanaged.filter(({ type }) => type !== disruption.type), disruption];

  const verdicts: (readonly [string, ConditionVerdict])[] = [
    ...judgeResize(input),
    ["PodReadyToStartContainers", judgeSandbox(input)],
    ...judgeReadiness(input, kept),
    ["PodScheduled", TRUE],
  ];
  if (canRestartAll(pod)) {
    verdicts.push(["AllContainersRestarting", judgeRestarting(input)]);
  }
  return [
    ...kept,
    ...verdicts.map(([type, verdict]) => condition(type, verdict, input)),
  ];
}

/**
 * A status whose containers have changed, with the conditions that follow from them:
 * `Initialized`, `ContainersReady` and `Ready`. All others stay as they are.
 */
export function refreshReadiness(
  pod: Pod,
  status: PodStatus,
  { nowMs }: { readonly nowMs: number },
): PodStatus {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  const conditions = status.conditions ?? [];
  const input: ReadinessInput = {
    pod,
    previous: status,
    statuses: new Map(
      [...initContainerStatuses, ...containerStatuses]
        .map((each) => [each.name, each]),
    ),
    phase: status.phase ?? "Pending",
    nowMs,
  };
  const verdicts = new Map(judgeReadiness(input, conditions));
  return {
    ...status,
    conditions: conditions.map((each) => {
      const verdict = verdicts.get(each.type);
      return verdict === undefined
        ? each
        : condition(each.type, verdict, input);
    }),
  };
}

/** Finds a condition by its type. */
export function findCondition(
  conditions: readonly PodCondition[] | undefined,
  type: string,
): PodCondition | undefined {
  return conditions?.find((each) => each.type === type);
}

/** What readiness follows from. */
type ReadinessInput = Pick<
  ConditionsInput,
  "pod" | "previous" | "statuses" | "phase" | "nowMs"
>;

interface ConditionVerdict {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

const TRUE: ConditionVerdict = { status: "True" };

function condition(
  type: string,
  verdict: ConditionVerdict,
  { pod, previous, nowMs }: Pick<
    ConditionsInput,
    "pod" | "previous" | "nowMs"
  >,
): PodCondition {
  const before = findCondition(previous?.conditions, type);
  const sinceMs = before?.status === verdict.status
    ? parseTime(before.lastTransitionTime)
    : undefined;
  return defined({
    // A time ahead of the clock is from before the clock was set right.
    lastTransitionTime: formatTime(Math.min(sinceMs ?? nowMs, nowMs)),
    message: verdict.message,
    observedGeneration: pod.metadata.generation || undefined,
    reason: verdict.reason,
    status: verdict.status,
    type,
  });
}

function judgeReadiness(
  input: ReadinessInput,
  conditions: readonly PodCondition[],
): readonly (readonly [string, ConditionVerdict])[] {
  const containersReady = judgeContainersReady(input);
  return [
    ["Initialized", judgeInitialized(input)],
    ["Ready", judgeReady(input, { containersReady, conditions })],
    ["ContainersReady", containersReady],
  ];
}

function judgeSandbox({ pod, observed }: ConditionsInput): ConditionVerdict {
  const { kind } = decideSandbox(pod, observed);
  return { status: kind === "keep" ? "True" : "False" };
}

function judgeInitialized(input: ReadinessInput): ConditionVerdict {
  const { pod, phase } = input;
  const [unknown, incomplete] = sortOut(
    pod.spec.initContainers ?? [],
    input,
    (container, status) =>
      isRestartableInit(container) ? status.started === true : status.ready,
  );
  if (phase === "Succeeded" && unknown.length === 0) {
    return { status: "True", reason: "PodCompleted" };
  }
  if (appHasStarted(input) || staysInitialized(input)) return TRUE;
  return notAll("ContainersNotInitialized", { unknown, incomplete });
}

/** The names of containers without a status, and of those whose status is not right. */
function sortOut(
  containers: readonly ContainerSpec[],
  { statuses }: ReadinessInput,
  isRight: (container: ContainerSpec, status: ContainerStatus) => boolean,
): [unknown: string[], wrong: string[]] {
  const unknown: string[] = [];
  const wrong: string[] = [];
  for (const container of containers) {
    const status = statuses.get(container.name);
    if (status === undefined) unknown.push(container.name);
    else if (!isRight(container, status)) wrong.push(container.name);
  }
  return [unknown, wrong];
}

function appHasStarted({ pod, statuses }: ReadinessInput): boolean {
  return pod.spec.containers.some(({ name }) => {
    const state = statuses.get(name)?.state;
    return state?.running !== undefined || state?.terminated !== undefined;
  });
}

/** A restart of all containers in place does not take the pod back. */
function staysInitialized({ pod, previous }: ReadinessInput): boolean {
  return canRestartAll(pod) &&
    findCondition(previous?.conditions, "Initialized")?.status === "True";
}

function judgeContainersReady(input: ReadinessInput): ConditionVerdict {
  const { pod, phase } = input;
  const [unknown, unready] = sortOut(
    servingContainers(pod),
    input,
    (_, { ready }) => ready,
  );
  if (phase === "Succeeded" && unknown.length === 0) {
    return { status: "False", reason: "PodCompleted" };
  }
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  return notAll("ContainersNotReady", { unknown, unready });
}

/** Only while there is something to report. */
function judgeResize(
  { pod, observed, resizeRefusal }: ConditionsInput,
): (readonly [string, ConditionVerdict])[] {
  const resize = planResize(pod, observed);
  const refusal = resizeRefusal ??
    (resize.kind === "refused" ? resize : undefined);
  if (refusal !== undefined) {
    const { reason, message } = refusal;
    return [["PodResizePending", { status: "True", reason, message }]];
  }
  if (resize.kind !== "resize") return [];
  const message = observed.resizeError;
  const verdict = message === undefined
    ? TRUE
    : { ...TRUE, reason: "Error", message };
  return [["PodResizeInProgress", verdict]];
}

function judgeReady(
  { pod }: ReadinessInput,
  from: {
    readonly containersReady: ConditionVerdict;
    readonly conditions: readonly PodCondition[];
  },
): ConditionVerdict {
  if (from.containersReady.status !== "True") return from.containersReady;
  const messages: string[] = [];
  for (const { conditionType: type } of pod.spec.readinessGates ?? []) {
    const gate = findCondition(from.conditions, type);
    if (gate === undefined) {
      messages.push(
        `corresponding condition of pod readiness gate "${type}" does not exist.`,
      );
    } else if (gate.status !== "True") {
      messages.push(
        `the status of pod readiness gate "${type}" is not "True", but ${gate.status}`,
      );
    }
  }
  return messages.length === 0 ? TRUE : {
    status: "False",
    reason: "ReadinessGatesNotReady",
    message: messages.join(", "),
  };
}

function judgeRestarting({ restartingAll }: ConditionsInput): ConditionVerdict {
  return restartingAll
    ? {
      status: "True",
      reason: "RestartAllContainersStarted",
      message: "container exited with restart policy rule",
    }
    : { status: "False" };
}

/** Clients read these messages: names stand as Go prints a slice, `[a b]`. */
function notAll(
  reason: string,
  groups: Readonly<Record<string, readonly string[]>>,
): ConditionVerdict {
  const messages = Object.entries(groups)
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) =>
      `containers with ${kind} status: [${names.join(" ")}]`
    );
  return messages.length === 0
    ? TRUE
    : { status: "False", reason, message: messages.join(", ") };
}
