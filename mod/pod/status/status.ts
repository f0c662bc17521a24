/**
 * The status of a pod, computed afresh from what the runtime shows.
 *
 * @module
 */

import type {
  ContainerKind,
  ContainerStatus,
  Pod,
  PodCondition,
  PodPhase,
  PodStatus,
} from "../../api/types/mod.ts";
import { isLocalPod } from "../../api/vocabulary/mod.ts";
import { defined } from "../../base/mod.ts";
import { parseIp } from "../../base/text/mod.ts";
import { buildConditions, findCondition } from "./conditions.ts";
import {
  buildContainerStatuses,
  type ContainerStatusesInput,
} from "./container_statuses.ts";
import {
  canRestartAll,
  type ObservedPod,
  resetRequests,
} from "../observed/mod.ts";
import { isTerminalPhase, judgePhase } from "./phase.ts";
import type { ResizeRefusal } from "../plan/mod.ts";
import { podResourceSum, qosClass } from "../resources/mod.ts";
import { formatTime, parseTime } from "./timestamp.ts";

/** Everything a status is computed from. */
export interface StatusInput
  extends Omit<ContainerStatusesInput, "previous" | "restartingAll"> {
  /** The status shown last; `undefined` for the first and after a refusal was lifted. */
  readonly previous: PodStatus | undefined;
  readonly nowMs: number;
  /** The node's addresses, the primary first; empty to show none. */
  readonly hostIps: readonly string[];
  /** Why the pod keeps other resources than it asks for; `pod` is as it has them. */
  readonly resizeRefusal?: ResizeRefusal | undefined;
  /** Why the node takes the pod down; one that ended by itself stays what it became. */
  readonly eviction?: PodEviction | undefined;
  /**
   * How long the pod has been active, by a monotonic clock.
   *
   * @default the wall clock decides
   */
  readonly activeMs?: number | undefined;
}

/** Why a node takes a pod down. */
export interface PodEviction {
  /** One word in CamelCase, such as `Evicted`. */
  readonly reason: string;
  readonly message: string;
  /**
   * Whether the pod ends for the sake of the node, and no limit of its own: its
   * condition `DisruptionTarget` then says so.
   *
   * @default false
   */
  readonly disruption?: boolean;
}

/** The reason of a pod that ran longer than its activeDeadlineSeconds. */
export const DEADLINE_EXCEEDED_REASON = "DeadlineExceeded";

/**
 * Computes the status (kubelet: generateAPIPodStatus). What it says of the past
 * (restart counts, last terminations, transition times, a terminal phase) is
 * carried over from `previous` where the runtime has forgotten it.
 */
export function buildPodStatus(input: StatusInput): PodStatus {
  const { pod, observed, nowMs } = input;
  const old = earlierStatus(input);
  const restartingAll = isRestartingAll(pod, observed, old);
  const list = (
    kind: ContainerKind,
    previous: readonly ContainerStatus[] | undefined,
  ) => buildContainerStatuses(kind, { ...input, previous, restartingAll });
  const containerStatuses = list("app", old?.containerStatuses);
  const initContainerStatuses = list("init", old?.initContainerStatuses);
  const ephemeralContainerStatuses = list(
    "ephemeral",
    old?.ephemeralContainerStatuses,
  );
  const statuses = new Map(
    [...initContainerStatuses, ...containerStatuses]
      .map((status) => [status.name, status]),
  );
  const startTime = startTimeOf(input, old);
  const judged = decidePhase({ input, old, statuses, startTime });
  const evicted = isTerminalPhase(judged.phase) ? undefined : input.eviction;
  const verdict = evicted === undefined ? judged : failed(evicted);
  const conditions = buildConditions({
    pod,
    observed,
    previous: old,
    statuses,
    phase: verdict.phase,
    restartingAll,
    resizeRefusal: input.resizeRefusal,
    disruption: evicted?.disruption === true ? evicted.message : undefined,
    nowMs,
  });
  const generation = pod.metadata.generation ?? 0;
  return {
    ...resourcesOf(pod),
    conditions,
    containerStatuses,
    ...(ephemeralContainerStatuses.length > 0 &&
      { ephemeralContainerStatuses }),
    ...(initContainerStatuses.length > 0 && { initContainerStatuses }),
    ...addressesOf(input, old),
    ...(generation !== 0 && { observedGeneration: generation }),
    ...verdict,
    qosClass: qosClass(pod),
    startTime,
  };
}

/** What was said before; of containers of which nothing was, what its source says. */
function earlierStatus(
  { previous, pod: { status } }: Pick<StatusInput, "previous" | "pod">,
): PodStatus | undefined {
  if (previous === undefined) return status;
  const { containerStatuses, initContainerStatuses } = status ?? {};
  return previous.containerStatuses !== undefined
    ? previous
    : { ...previous, ...defined({ containerStatuses, initContainerStatuses }) };
}

/**
 * Whether all containers of the pod are being restarted in place: from the exit
 * that asked for it until the last record is removed.
 */
export function isRestartingAll(
  pod: Pod,
  observed: ObservedPod,
  previous: PodStatus | undefined,
): boolean {
  if (!canRestartAll(pod)) return false;
  if (resetRequests(pod, observed).length > 0) return true;
  const before = findCondition(
    previous?.conditions,
    "AllContainersRestarting",
  );
  return before?.status === "True" && observed.containers.length > 0;
}

interface PhaseVerdict {
  readonly phase: PodPhase;
  readonly reason?: string;
  readonly message?: string;
}

function decidePhase(
  context: {
    readonly input: StatusInput;
    readonly old: PodStatus | undefined;
    readonly statuses: ReadonlyMap<string, ContainerStatus>;
    readonly startTime: string;
  },
): PhaseVerdict {
  const { input, old, statuses, startTime } = context;
  const { pod, observed, terminal, nowMs } = input;
  const judged = judgePhase({ pod, observed, statuses, terminal });
  const phase = lastingPhase(old) ?? lastingPhase(pod.status) ?? judged;
  const { activeMs = nowMs - (parseTime(startTime) ?? nowMs) } = input;
  if (!isTerminalPhase(phase) && deadlineLeftMs(pod, activeMs) === 0) {
    return failed({
      reason: DEADLINE_EXCEEDED_REASON,
      message: "Pod was active on the node longer than the specified deadline",
    });
  }
  // Reason and message belong to the phase they were given with.
  if (phase !== old?.phase) return { phase };
  return defined({
    phase,
    reason: old.reason ?? pod.status?.reason,
    message: old.message ?? pod.status?.message,
  });
}

function failed({ reason, message }: PodEviction): PhaseVerdict {
  return { phase: "Failed", reason, message };
}

/**
 * The phase that a pod can no longer leave. A refused pod never had containers:
 * it is Failed only as long as the refusal holds.
 */
function lastingPhase(
  status: PodStatus | undefined,
): "Succeeded" | "Failed" | undefined {
  const phase = status?.phase;
  if (!isTerminalPhase(phase)) return undefined;
  return status?.containerStatuses === undefined ? undefined : phase;
}

/**
 * How long a pod may still run by its activeDeadlineSeconds, in milliseconds; 0 when
 * the time is over, `undefined` without a deadline.
 *
 * @param activeMs since its start; a clock that was set does not make it more than the
 * deadline, nor less than nothing
 */
export function deadlineLeftMs(
  pod: Pod,
  activeMs: number,
): number | undefined {
  const deadlineSeconds = pod.spec.activeDeadlineSeconds;
  if (deadlineSeconds === undefined) return undefined;
  const deadlineMs = deadlineSeconds * 1000;
  return deadlineMs - Math.min(Math.max(0, activeMs), deadlineMs);
}

/**
 * When the agent took the pod on. An agent that lost its notes goes by the oldest
 * sandbox, so that a restart of the agent does not make the pod younger.
 */
function startTimeOf(
  { observed, nowMs }: StatusInput,
  old: PodStatus | undefined,
): string {
  if (old?.startTime !== undefined) return old.startTime;
  const sandboxTimes = observed.sandboxes
    // Some runtimes lose the time, and a sandbox may be known by its id alone.
    .filter(({ createdAt }) => createdAt > 0n)
    .map(({ createdAt }) => Number(createdAt / 1_000_000n));
  return formatTime(Math.min(nowMs, ...sandboxTimes));
}

function resourcesOf(
  pod: Pod,
): Pick<PodStatus, "resources" | "allocatedResources"> {
  const requests = podResourceSum(pod, "requests", { withOverhead: true });
  const limits = podResourceSum(pod, "limits", { withOverhead: true });
  const hasRequests = Object.keys(requests).length > 0;
  return {
    ...(hasRequests && { allocatedResources: requests }),
    resources: {
      ...(Object.keys(limits).length > 0 && { limits }),
      ...(hasRequests && { requests }),
    },
  };
}

/** A pod whose sandbox is gone keeps the addresses that it had. */
function addressesOf(
  { pod, observed, hostIps }: StatusInput,
  old: PodStatus | undefined,
): Pick<PodStatus, "hostIP" | "hostIPs" | "podIP" | "podIPs"> {
  const [hostIp] = hostIps;
  const before = (old?.podIPs ?? []).map(({ ip }) => ip);
  const known = pod.spec.hostNetwork === true ? hostIps : before;
  const seen = observed.ips.length === 0 ? known : observed.ips;
  const ips = onePerFamily(seen, parseIp(hostIp ?? "")?.ipv6 === true);
  const [podIp] = ips;
  const listOf = (all: readonly string[]) => all.map((ip) => ({ ip }));
  return {
    ...(hostIp !== undefined &&
      { hostIP: hostIp, hostIPs: listOf(hostIps.slice(0, 2)) }),
    ...(podIp !== undefined && { podIP: podIp, podIPs: listOf(ips) }),
  };
}

/** The first address of the node's own family, then the first of the other. */
function onePerFamily(ips: readonly string[], ipv6First: boolean): string[] {
  const valid = ips.filter((ip) => parseIp(ip) !== undefined);
  return [ipv6First, !ipv6First].flatMap((ipv6) =>
    valid.filter((ip) => parseIp(ip)?.ipv6 === ipv6).slice(0, 1)
  );
}

/** Why a pod is not taken, or not yet. */
export interface AdmissionVerdict {
  readonly pod: Pod;
  readonly kind: "refused" | "waits";
  /** One word in CamelCase: `PodFeatureUnsupported`, `OutOfmemory`. */
  readonly reason: string;
  readonly message: string;
  readonly nowMs: number;
}

/**
 * The status of a pod that is refused (kubelet: rejectPod), or taken as soon as others
 * have ended, which they are about to: the kubelet would refuse that one for good. It has
 * no container statuses, unlike a pod that ran and failed.
 */
export function statusOfNotTaken(
  { pod, kind, reason, message, nowMs }: AdmissionVerdict,
): PodStatus {
  const generation = pod.metadata.generation ?? 0;
  return {
    ...(kind === "waits"
      ? {
        message: `Waits for other pods to end: ${message}`,
        phase: "Pending",
      }
      : isLocalPod(pod)
      ? { phase: "Pending", conditions: [unschedulable(message, nowMs)] }
      : { message: `Pod was rejected: ${message}`, phase: "Failed", reason }),
    ...(generation !== 0 && { observedGeneration: generation }),
    qosClass: qosClass(pod),
    startTime: formatTime(nowMs),
  };
}

/** As upstream's scheduler says it. */
function unschedulable(message: string, nowMs: number): PodCondition {
  return {
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: formatTime(nowMs),
    reason: "Unschedulable",
    message,
  };
}
