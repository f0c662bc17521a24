/**
 * What of a pod's status has to outlive the agent, for good or until the next boot, and its
 * form. Pure. The runtime knows the rest better.
 *
 * @module
 */

import { parseContainerId } from "../api/objects/mod.ts";
import type { PodStatus } from "../api/types/mod.ts";
import { isRecord } from "../base/mod.ts";
import { openRecord, sealRecord } from "../host/files/mod.ts";
import type { EvictionNote } from "../pod/recovery/mod.ts";
import { isTerminalPhase } from "../pod/status/mod.ts";

/** The memory of one pod. */
export interface StatusRecord {
  /** From when its deadline counts; RFC 3339. */
  readonly startTime?: string;
  /** By container name; one that was never restarted is left out. */
  readonly restartCounts: Readonly<Record<string, number>>;
  /** The status of a pod that has ended for good, by which it is never run again. */
  readonly ended?: PodStatus;
  /** That the node ended it because it ran short; of an earlier life of its UID as well. */
  readonly eviction?: EvictionNote;
}

/**
 * Takes out of a status what has to be remembered; `undefined` of one without
 * containers, which is that of a pod that was never begun or was refused.
 */
export function recordOf(
  status: PodStatus,
  eviction?: EvictionNote,
): StatusRecord | undefined {
  const { initContainerStatuses = [], containerStatuses, startTime } = status;
  if (containerStatuses === undefined) return undefined;
  const counts = [...initContainerStatuses, ...containerStatuses]
    .filter(({ restartCount }) => restartCount > 0)
    .map(({ name, restartCount }) => [name, restartCount] as const);
  return {
    ...(startTime !== undefined && { startTime }),
    restartCounts: Object.fromEntries(counts),
    ...(isTerminalPhase(status.phase) && { ended: status }),
    ...(eviction !== undefined && { eviction }),
  };
}

/** Whether a value is a record; an agent wrote it, so the rest of its shape is trusted. */
export function isStatusRecord(value: unknown): value is StatusRecord {
  return isRecord(value) && isRecord(value["restartCounts"]);
}

/** How a container was when it was last shown. */
export interface ContainerMemory {
  readonly ready: boolean;
  readonly started: boolean;
}

/** How a condition was when it was last shown, and since when; RFC 3339. */
export interface ConditionMemory {
  readonly status: string;
  readonly since: string;
}

/** The memory of one pod until the next boot. */
export interface RunRecord {
  /** The pod's start time, which differs in a record of an earlier life of its UID. */
  readonly startTime?: string;
  /** By the id that the runtime gave; only of containers that run. */
  readonly containers: Readonly<Record<string, ContainerMemory>>;
  /** By type. */
  readonly conditions: Readonly<Record<string, ConditionMemory>>;
}

/**
 * Takes out of a status what has to be remembered; `undefined` of a pod that was never
 * begun, and of one that is over, whose whole status is kept elsewhere.
 */
export function runRecordOf(status: PodStatus): RunRecord | undefined {
  const { containerStatuses, initContainerStatuses = [] } = status;
  const { startTime, conditions = [] } = status;
  if (containerStatuses === undefined || isTerminalPhase(status.phase)) {
    return undefined;
  }
  const running = [...initContainerStatuses, ...containerStatuses].flatMap(
    ({ containerID = "", state, ready, started }) => {
      const id = parseContainerId(containerID)?.id;
      return id === undefined || state?.running === undefined
        ? []
        : [[id, { ready, started: started === true }] as const];
    },
  );
  const since = conditions.flatMap(({ type, status, lastTransitionTime }) =>
    lastTransitionTime === undefined
      ? []
      : [[type, { status, since: lastTransitionTime }] as const]
  );
  if (running.length + since.length === 0) return undefined;
  return {
    ...(startTime !== undefined && { startTime }),
    containers: Object.fromEntries(running),
    conditions: Object.fromEntries(since),
  };
}

/** The text of a record; equal records have equal texts. */
export function formatRunRecord(record: RunRecord): string {
  return sealRecord(record).text;
}

/** Reads a record; `undefined` when it is not exactly what was written once. */
export function parseRunRecord(text: string): RunRecord | undefined {
  const record = openRecord(text)?.record;
  // An agent before this one may not have written any conditions.
  return isRunRecord(record) ? { conditions: {}, ...record } : undefined;
}

function isRunRecord(
  value: unknown,
): value is Omit<RunRecord, "conditions"> & Partial<RunRecord> {
  // The checksum vouches for what is inside: only an agent writes one that fits.
  return isRecord(value) && isRecord(value["containers"]);
}
