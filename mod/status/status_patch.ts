/**
 * What differs between two statuses, and how two writers share one. Pure.
 *
 * @module
 */

import type { PodCondition, PodStatus } from "../api/types/mod.ts";
import { type StrategicPatch, strategicPatch } from "../api/access/mod.ts";
import {
  DISRUPTION_TARGET,
  findCondition,
  formatTime,
  isTerminalPhase,
  OWNED_CONDITIONS,
} from "../pod/status/mod.ts";

/** The keys by which an API server merges lists; all other lists are replaced. */
const LIST_KEYS: Readonly<Record<string, string>> = {
  conditions: "type",
  hostIPs: "ip",
  podIPs: "ip",
  resourceClaimStatuses: "name",
};

/** The patch that makes `after` of `before`; empty when they are equal. */
export function patchStatus(
  before: PodStatus | undefined,
  after: PodStatus,
): StrategicPatch {
  return strategicPatch(before, after, LIST_KEYS);
}

/** How the API server's copy of a status and the agent's are put together. */
export interface StatusMerge {
  /** What the API server has, parts of which others write. */
  readonly remote: PodStatus;
  /** What the agent has found; it writes all of it. */
  readonly managed: PodStatus;
  /** Whether something of the pod may still run; its end is then not yet reported. */
  readonly mayRun: boolean;
  readonly nowMs: number;
}

/**
 * The status that the API server is to have (kubelet: mergePodStatus): conditions that
 * others write stay, all else is the agent's. The end of the pod is reported only
 * when nothing of it runs any more, and then it is not ready.
 */
export function mergeStatus(merge: StatusMerge): PodStatus {
  const { remote, managed, mayRun, nowMs } = merge;
  const { resourceClaimStatuses: _managed, ...rest } = managed;
  const ends = !isTerminalPhase(remote.phase) && isTerminalPhase(managed.phase);
  const merged: PodStatus = {
    ...rest,
    conditions: mergeConditions(merge, ends && !mayRun),
    ...(remote.resourceClaimStatuses !== undefined &&
      { resourceClaimStatuses: remote.resourceClaimStatuses }),
  };
  const reported = ends && mayRun ? postponed(remote, merged) : merged;
  return isTerminalPhase(reported.phase)
    ? notReady(reported, { phase: reported.phase, nowMs })
    : reported;
}

function mergeConditions(
  { remote, managed }: StatusMerge,
  endsNow: boolean,
): PodCondition[] {
  const unmanaged = (remote.conditions ?? []).filter(({ type }) =>
    !OWNED_CONDITIONS.has(type)
  );
  const owned = (managed.conditions ?? []).filter(({ type }) =>
    OWNED_CONDITIONS.has(type)
  );
  const disruption = findCondition(managed.conditions, DISRUPTION_TARGET);
  if (disruption === undefined || !endsNow) return [...unmanaged, ...owned];
  const others = unmanaged.filter(({ type }) => type !== DISRUPTION_TARGET);
  return [...others, disruption, ...owned];
}

/** With the phase, its reason and its message as they were reported before. */
function postponed(remote: PodStatus, status: PodStatus): PodStatus {
  const { phase: _phase, reason: _reason, message: _message, ...rest } = status;
  const { phase, reason, message } = remote;
  return {
    ...rest,
    ...(phase !== undefined && { phase }),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}

function notReady(
  status: PodStatus,
  { phase, nowMs }: {
    readonly phase: "Succeeded" | "Failed";
    readonly nowMs: number;
  },
): PodStatus {
  const reason = phase === "Succeeded" ? "PodCompleted" : "PodFailed";
  return {
    ...status,
    conditions: (status.conditions ?? []).map((each) => {
      const isReadiness = each.type === "Ready" ||
        each.type === "ContainersReady";
      if (!isReadiness || each.status !== "True") return each;
      const { message: _message, ...rest } = each;
      const lastTransitionTime = formatTime(nowMs);
      return { ...rest, lastTransitionTime, reason, status: "False" };
    }),
  };
}
