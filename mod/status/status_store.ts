/**
 * The latest status of every pod on this node.
 *
 * @module
 */

import type { PodStatus } from "../api/mod.ts";

/** Phases that a pod never leaves. */
const TERMINAL: ReadonlySet<string | undefined> = new Set([
  "Succeeded",
  "Failed",
]);

/**
 * Holds one status a pod UID; the pod workers write it, everybody else reads.
 *
 * A terminal phase is never overwritten by another phase (invariant I4), and
 * restart counts never fall, whatever a writer with a stale picture says.
 */
export class StatusStore {
  readonly #statuses = new Map<string, PodStatus>();

  /** The latest status, or `undefined` for a pod that has none yet. */
  get(uid: string): PodStatus | undefined {
    return this.#statuses.get(uid);
  }

  /** Stores `status`; a phase that left a terminal one keeps the terminal phase. */
  set(uid: string, status: PodStatus): void {
    const before = this.#statuses.get(uid);
    this.#statuses.set(
      uid,
      before === undefined ? status : monotonic(before, status),
    );
  }

  /** Forgets a pod that is gone. */
  remove(uid: string): void {
    this.#statuses.delete(uid);
  }
}

function monotonic(before: PodStatus, after: PodStatus): PodStatus {
  const phase = TERMINAL.has(before.phase) ? before.phase : after.phase;
  const counts = new Map(
    [...before.initContainerStatuses ?? [], ...before.containerStatuses ?? []]
      .map((status) => [status.name, status.restartCount]),
  );
  const raise = (statuses: PodStatus["containerStatuses"]) =>
    statuses?.map((status) => {
      const known = counts.get(status.name) ?? 0;
      return known > status.restartCount
        ? { ...status, restartCount: known }
        : status;
    });
  const containers = raise(after.containerStatuses);
  const inits = raise(after.initContainerStatuses);
  return {
    ...after,
    ...(phase !== undefined && { phase }),
    ...(containers !== undefined && { containerStatuses: containers }),
    ...(inits !== undefined && { initContainerStatuses: inits }),
  };
}
