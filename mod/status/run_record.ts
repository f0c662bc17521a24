/**
 * What of a pod's status has to outlive the agent but not the boot, and its form. Pure.
 *
 * @module
 */

import {
  openRecord,
  parseContainerId,
  type PodStatus,
  sealRecord,
} from "../api/mod.ts";

/** How a container was when it was last shown. */
export interface ContainerMemory {
  readonly ready: boolean;
  readonly started: boolean;
}

/** By the id that the runtime gave; only of containers that run. */
export type RunRecord = Readonly<Record<string, ContainerMemory>>;

/** Takes out of a status what has to be remembered; `undefined` when nothing runs. */
export function runRecordOf(status: PodStatus): RunRecord | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  const running = [...initContainerStatuses, ...containerStatuses].flatMap(
    ({ containerID = "", state, ready, started }) => {
      const id = parseContainerId(containerID)?.id;
      return id === undefined || state?.running === undefined
        ? []
        : [[id, { ready, started: started === true }] as const];
    },
  );
  return running.length === 0 ? undefined : Object.fromEntries(running);
}

/** The text of a record; equal records have equal texts. */
export function formatRunRecord(record: RunRecord): string {
  return sealRecord({ containers: record }).text;
}

/** Reads a record; `undefined` when it is not exactly what was written once. */
export function parseRunRecord(text: string): RunRecord | undefined {
  const record = openRecord(text)?.record;
  if (typeof record !== "object" || record === null) return undefined;
  if (!("containers" in record)) return undefined;
  const { containers } = record;
  if (typeof containers !== "object" || containers === null) return undefined;
  const entries = Object.entries(containers);
  return entries.every(isMemoryEntry) ? Object.fromEntries(entries) : undefined;
}

function isMemoryEntry(
  entry: [string, unknown],
): entry is [string, ContainerMemory] {
  const [, value] = entry;
  return typeof value === "object" && value !== null &&
    "ready" in value && typeof value.ready === "boolean" &&
    "started" in value && typeof value.started === "boolean";
}
