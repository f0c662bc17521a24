/**
 * The latest status of every pod on this node.
 *
 * @module
 */

import type { ContainerStatus, PodStatus } from "../api/mod.ts";
import { isTerminalPhase } from "../pod/mod.ts";

/**
 * Holds one status a pod UID; the pod workers write it, everybody else reads.
 *
 * A terminal phase is never overwritten by another phase (invariant I4), and
 * restart counts never fall, whatever a writer with a stale picture says.
 */
export class StatusStore {
  readonly #statuses = new Map<string, PodStatus>();
  /** Restart counts of pods that begin anew, until they have a status again. */
  readonly #floors = new Map<string, RestartCounts>();

  /** The latest status, or `undefined` for a pod that has none yet. */
  get(uid: string): PodStatus | undefined {
    return this.#statuses.get(uid);
  }

  /** Stores `status`; a phase that left a terminal one keeps the terminal phase. */
  set(uid: string, status: PodStatus): void {
    const before = this.#statuses.get(uid);
    const least = before === undefined
      ? this.#floors.get(uid)
      : countsOf(before);
    this.#floors.delete(uid);
    this.#statuses.set(uid, monotonic(before, raise(status, least)));
  }

  /** Begins a pod anew under the same UID: of its past only the restart counts hold. */
  renew(uid: string): void {
    const before = this.#statuses.get(uid);
    if (before === undefined) return;
    this.#statuses.delete(uid);
    this.#floors.set(uid, countsOf(before));
  }

  /** Forgets a pod that is gone. */
  remove(uid: string): void {
    this.#statuses.delete(uid);
    this.#floors.delete(uid);
  }
}

/** By container name. */
type RestartCounts = ReadonlyMap<string, number>;

/** Keeps a phase that is never left. */
function monotonic(
  before: PodStatus | undefined,
  after: PodStatus,
): PodStatus {
  // A refused pod never had containers: it is Failed only as long as it is refused.
  const isOver = before?.containerStatuses !== undefined &&
    isTerminalPhase(before.phase);
  return isOver && before.phase !== undefined
    ? { ...after, phase: before.phase }
    : after;
}

function countsOf(status: PodStatus): RestartCounts {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  return new Map(
    [...initContainerStatuses, ...containerStatuses]
      .map(({ name, restartCount }) => [name, restartCount]),
  );
}

/** Lifts the restart counts that are lower than known before. */
function raise(
  status: PodStatus,
  least: RestartCounts | undefined,
): PodStatus {
  if (least === undefined) return status;
  const lift = (each: ContainerStatus): ContainerStatus => {
    const known = least.get(each.name) ?? 0;
    return known > each.restartCount ? { ...each, restartCount: known } : each;
  };
  const { containerStatuses, initContainerStatuses } = status;
  return {
    ...status,
    ...(containerStatuses !== undefined &&
      { containerStatuses: containerStatuses.map(lift) }),
    ...(initContainerStatuses !== undefined &&
      { initContainerStatuses: initContainerStatuses.map(lift) }),
  };
}
