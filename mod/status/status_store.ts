/**
 * The latest status of every pod on this node.
 *
 * @module
 */

import type { ContainerStatus, PodStatus } from "../api/mod.ts";
import { isTerminalPhase } from "../pod/mod.ts";
import type { StatusRecord } from "./status_record.ts";

/**
 * Holds one status a pod UID; the pod workers write it, everybody else reads.
 *
 * A terminal phase is never overwritten by another phase (invariant I4), and
 * restart counts never fall, whatever a writer with a stale picture says.
 */
export class StatusStore {
  readonly #statuses = new Map<string, PodStatus>();
  /** Restart counts of pods that begin anew, until they have containers again. */
  readonly #floors = new Map<string, RestartCounts>();

  /** The latest status, or `undefined` for a pod that has none yet. */
  get(uid: string): PodStatus | undefined {
    return this.#statuses.get(uid);
  }

  /** Stores `status`; a phase that left a terminal one keeps the terminal phase. */
  set(uid: string, status: PodStatus): void {
    const before = this.#statuses.get(uid);
    const least = this.#countsOf(uid);
    if (status.containerStatuses !== undefined) this.#floors.delete(uid);
    this.#statuses.set(uid, monotonic(before, raise(status, least)));
  }

  /** Begins a pod anew under the same UID: of its past only the restart counts hold. */
  renew(uid: string): void {
    const counts = this.#countsOf(uid);
    this.#statuses.delete(uid);
    if (counts !== undefined) this.#floors.set(uid, counts);
  }

  /**
   * Takes over what an earlier agent knew of a pod. One that had ended has its status;
   * of any other it is known when it began and how often its containers were restarted.
   */
  restore(uid: string, record: StatusRecord): void {
    const { startTime, restartCounts, ended } = record;
    const begun: PodStatus = {
      phase: "Pending",
      ...(startTime !== undefined && { startTime }),
    };
    this.#statuses.set(uid, ended ?? begun);
    this.#floors.set(uid, new Map(Object.entries(restartCounts)));
  }

  /** Forgets a pod that is gone. */
  remove(uid: string): void {
    this.#statuses.delete(uid);
    this.#floors.delete(uid);
  }

  #countsOf(uid: string): RestartCounts | undefined {
    const status = this.#statuses.get(uid);
    return status?.containerStatuses === undefined
      ? this.#floors.get(uid)
      : countsOf(status);
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
