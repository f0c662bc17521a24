/**
 * What differs between two statuses, and how two writers share one. Pure.
 *
 * @module
 */

import type { PodCondition, PodStatus } from "../api/types/mod.ts";
import { stableJson } from "../api/objects/mod.ts";
import { isRecord } from "../base/mod.ts";
import {
  DISRUPTION_TARGET,
  findCondition,
  formatTime,
  isTerminalPhase,
  OWNED_CONDITIONS,
} from "../pod/status/mod.ts";

/**
 * A strategic merge patch of `status`: fields that differ, `null` for those to remove,
 * and of the lists with a key only the members that differ.
 */
export type StatusPatch = Readonly<Record<string, unknown>>;

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
): StatusPatch {
  const old = new Map<string, unknown>(Object.entries(before ?? {}));
  const patch: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const known = old.get(field);
    old.delete(field);
    if (stableJson(known ?? null) === stableJson(value)) continue;
    const key = LIST_KEYS[field];
    const isMerged = key !== undefined && Array.isArray(known);
    if (!isMerged || !Array.isArray(value)) {
      patch[field] = withRemovals(known, value);
      continue;
    }
    patch[`$setElementOrder/${field}`] = value.map((each: unknown) => ({
      [key]: keyOf(each, key),
    }));
    patch[field] = patchList(known, value, key);
  }
  for (const [field, value] of old) {
    if (value !== undefined) patch[field] = null;
  }
  return patch;
}

function patchList(
  before: readonly unknown[],
  after: readonly unknown[],
  key: string,
): unknown[] {
  const known = new Map(before.map((each) => [keyOf(each, key), each]));
  const changes = after.flatMap((each) => {
    const name = keyOf(each, key);
    const old = known.get(name);
    known.delete(name);
    if (stableJson(old ?? null) === stableJson(each)) return [];
    return [withRemovals(old, each)];
  });
  const removals = [...known.keys()].map((name) => ({
    $patch: "delete",
    [key]: name,
  }));
  return [...changes, ...removals];
}

/** An object is merged field by field, to its depth: what it has no more is named. */
function withRemovals(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const gone = Object.keys(before).filter((name) => !(name in after));
  return Object.fromEntries([
    ...Object.entries(after).map(([name, value]) =>
      [name, withRemovals(before[name], value)] as const
    ),
    ...gone.map((name) => [name, null] as const),
  ]);
}

function keyOf(member: unknown, key: string): unknown {
  return isRecord(member) ? member[key] : undefined;
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
