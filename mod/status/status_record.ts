/**
 * What of a pod's status has to outlive the agent, and its form on the disk. Pure.
 *
 * The runtime knows the rest better.
 *
 * @module
 */

import { openRecord, sealRecord } from "../host/files/mod.ts";
import type { PodStatus } from "../api/types/mod.ts";
import { isTerminalPhase } from "../pod/status/mod.ts";

/** The memory of one pod. */
export interface StatusRecord {
  /** From when its deadline counts; RFC 3339. */
  readonly startTime?: string;
  /** By container name; one that was never restarted is left out. */
  readonly restartCounts: Readonly<Record<string, number>>;
  /** The status of a pod that has ended for good, by which it is never run again. */
  readonly ended?: PodStatus;
}

/**
 * Takes out of a status what has to be remembered; `undefined` of one without
 * containers, which is that of a pod that was never begun or was refused.
 */
export function recordOf(status: PodStatus): StatusRecord | undefined {
  const { initContainerStatuses = [], containerStatuses, startTime } = status;
  if (containerStatuses === undefined) return undefined;
  const counts = [...initContainerStatuses, ...containerStatuses]
    .filter(({ restartCount }) => restartCount > 0)
    .map(({ name, restartCount }) => [name, restartCount] as const);
  return {
    ...(startTime !== undefined && { startTime }),
    restartCounts: Object.fromEntries(counts),
    ...(isTerminalPhase(status.phase) && { ended: status }),
  };
}

/** The text of a record; equal records have equal texts. */
export function formatRecord(record: StatusRecord): string {
  return sealRecord(record).text;
}

/** Reads a record; `undefined` when it is not exactly what was written once. */
export function parseRecord(text: string): StatusRecord | undefined {
  const record = openRecord(text)?.record;
  return isRecord(record) ? record : undefined;
}

function isRecord(value: unknown): value is StatusRecord {
  // The checksum vouches for what is inside: only an agent writes one that fits.
  return typeof value === "object" && value !== null &&
    "restartCounts" in value && typeof value.restartCounts === "object" &&
    value.restartCounts !== null;
}
