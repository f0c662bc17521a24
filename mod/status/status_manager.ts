/**
 * The latest status of every pod on this node.
 *
 * @module
 */

import { type Clock, defined } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { ContainerStatus, Pod, PodStatus } from "../api/types/mod.ts";
import { isStaticPod, podFullName } from "../api/vocabulary/mod.ts";
import { stableJson } from "../api/objects/mod.ts";
import {
  type EvictionNote,
  isEndedForPressure,
  noteEviction,
} from "../pod/recovery/mod.ts";
import {
  isTerminalPhase,
  normalizeStatus,
  parseTime,
  type ProbeAnswer,
  revivedContainer,
  terminatedStatus,
  withProbeAnswer,
} from "../pod/status/mod.ts";
import type {
  ConditionMemory,
  RunRecord,
  StatusRecord,
} from "./status_record.ts";

/** A status as it is stored. */
export interface StoredStatus {
  readonly pod: Pod;
  /** Higher than that of every status stored before, of whatever pod. */
  readonly version: number;
  readonly status: PodStatus;
  /** Nothing of the pod runs, and nothing will. */
  readonly finished: boolean;
}

/** A status; without a pod while only the record of an earlier agent has it. */
interface StatusEntry extends Omit<StoredStatus, "pod"> {
  readonly pod: Pod | undefined;
}

/** Gets every change at once, one after the other. */
export interface StatusFollower {
  /** A status is not what it was, or belongs to a pod that is wanted again. */
  changed(stored: StoredStatus): void;
  /** A pod has no status any more. */
  removed(uid: string): void;
}

/**
 * Holds one status a pod UID; the pod workers write it, everybody else reads.
 *
 * A terminal phase is never overwritten by another phase (invariant I4), a container
 * that ended for good is not brought back, and restart counts never fall, whatever a
 * writer with a stale picture says. A status that says nothing new is no new version.
 * (kubelet: status manager)
 */
export class StatusManager {
  readonly #clock: Clock;
  readonly #log: Logger;
  // These outlive the sessions of pods: a pod that was evicted or refused shows its status
  // without one, and restart counts go from one life of a UID to the next.
  readonly #entries = new Map<string, StatusEntry>();
  /** Restart counts of pods for as long as their statuses say nothing of containers. */
  readonly #floors = new Map<string, RestartCounts>();
  /** Of pods that were ended because the node ran short, whatever became of them since. */
  readonly #evictions = new Map<string, EvictionNote>();
  /** The conditions of pods as an earlier agent set them last, until they are set again. */
  readonly #recalled = new Map<string, RunRecord["conditions"]>();
  readonly #followers = new Set<StatusFollower>();
  #lastVersion = 0;

  constructor(deps: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = deps.clock;
    this.#log = deps.log.named("status");
  }

  /** The latest status, or `undefined` for a pod that has none yet. */
  get(uid: string): PodStatus | undefined {
    return this.#entries.get(uid)?.status;
  }

  /** How the node ended the pod last because it ran short; `undefined` if it never did. */
  eviction(uid: string): EvictionNote | undefined {
    return this.#evictions.get(uid);
  }

  /** The latest status that this agent stored, with what belongs to it. */
  stored(uid: string): StoredStatus | undefined {
    const entry = this.#entries.get(uid);
    return entry?.pod && { ...entry, pod: entry.pod };
  }

  /** The pods that have a status. */
  uids(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Adds a follower, which gets every change from now on. */
  follow(follower: StatusFollower): void {
    this.#followers.add(follower);
  }

  /**
   * Stores what is known of a pod now.
   *
   * A phase that left a terminal one keeps the terminal phase. A status that revives a
   * container against the pod's restart policy is refused as a whole: it is from before.
   *
   * @returns the status that is stored, which may say less, or still be the old one
   */
  setPodStatus(pod: Pod, status: PodStatus): PodStatus {
    const { uid } = pod.metadata;
    const entry = this.#entries.get(uid);
    const before = entry?.status;
    const revived = before && revivedContainer(pod, before, status);
    if (before !== undefined && revived !== undefined) {
      this.#log.warn("status_refused", {
        pod: podFullName(pod),
        uid,
        container: revived,
      });
      return before;
    }
    const least = this.#countsOf(uid);
    // What says nothing of containers takes no count back.
    const isSaid = status.containerStatuses !== undefined;
    if (!isSaid && least !== undefined) this.#floors.set(uid, least);
    const next = lasting(raise(status, least), this.#recalled.get(uid));
    this.#recalled.delete(uid);
    return this.#store(pod, monotonic(entry, next));
  }

  /**
   * Takes over what a probe says of a container; what depends on it follows at once.
   * Ignored for a container that is in no status.
   */
  setProbeAnswer(pod: Pod, answer: ProbeAnswer): void {
    const before = this.get(pod.metadata.uid);
    if (before === undefined) return;
    const nowMs = this.#clock.now();
    this.#store(pod, withProbeAnswer(pod, before, { ...answer, nowMs }));
  }

  /**
   * Closes the status of a pod of which nothing runs any more and nothing will: a
   * container whose end was not seen counts as failed. (kubelet: TerminatePod)
   *
   * @returns the status that is stored
   */
  terminatePod(pod: Pod): PodStatus {
    const { uid } = pod.metadata;
    const status = this.get(uid) ?? pod.status ?? {};
    const closed = terminatedStatus(pod, status);
    const isStatic = isStaticPod(pod);
    const version = this.#entries.get(uid)?.version;
    const stored = this.#store(pod, closed, { finished: !isStatic });
    // It may begin anew, but who keeps its end back until nothing of it runs is to know.
    const isSame = this.#entries.get(uid)?.version === version;
    if (isStatic && isSame) this.#publish(uid);
    return stored;
  }

  /** Forgets every pod that is not among the known ones. (kubelet: RemoveOrphanedStatuses) */
  removeOrphanedStatuses(known: ReadonlySet<string>): void {
    const all = [this.#entries, this.#floors, this.#evictions];
    for (const uid of all.flatMap((each) => [...each.keys()])) {
      if (known.has(uid)) continue;
      this.#log.debug("status_orphaned", { uid });
      this.remove(uid);
    }
  }

  /**
   * Begins a pod anew under the same UID: of its past only the restart counts hold, and
   * that the node ended it.
   */
  renew(uid: string): void {
    const counts = this.#countsOf(uid);
    this.#delete(uid);
    if (counts !== undefined) this.#floors.set(uid, counts);
  }

  /**
   * Takes over what an earlier agent knew of a pod. One that had ended has its status;
   * of any other it is known when it began and how often its containers were restarted.
   */
  restore(uid: string, record: StatusRecord): void {
    const { startTime, restartCounts, ended, eviction } = record;
    if (eviction !== undefined) this.#evictions.set(uid, eviction);
    const status = ended ?? defined({ phase: "Pending", startTime } as const);
    this.#put(uid, { pod: undefined, status, finished: false });
    this.#floors.set(uid, new Map(Object.entries(restartCounts)));
  }

  /**
   * Takes over since when the conditions of a restored pod are as they were. Not believed
   * of a pod that began at another time: that was an earlier life of its UID.
   */
  recall(
    uid: string,
    { startTime, conditions }: Omit<RunRecord, "containers">,
  ): void {
    const status = this.get(uid);
    if (status === undefined || isTerminalPhase(status.phase)) return;
    if (status.startTime === startTime) this.#recalled.set(uid, conditions);
  }

  /** Forgets a pod that is gone. */
  remove(uid: string): void {
    this.#delete(uid);
    this.#floors.delete(uid);
    this.#evictions.delete(uid);
  }

  #store(
    pod: Pod,
    status: PodStatus,
    options: { readonly finished?: boolean } = {},
  ): PodStatus {
    const { uid } = pod.metadata;
    const before = this.#entries.get(uid);
    const after = normalizeStatus(pod, status);
    const finished = (before?.finished ?? false) || options.finished === true;
    const isSame = before !== undefined && before.finished === finished &&
      isSameStatus(before.status, after);
    this.#noteEviction(uid, before?.status, after);
    if (!isSame) {
      this.#put(uid, { pod, status: after, finished });
      return after;
    }
    // The followers know this status, though of an older version of the pod.
    this.#entries.set(uid, { ...before, pod });
    if (before.pod === undefined) this.#publish(uid);
    return before.status;
  }

  #noteEviction(
    uid: string,
    before: PodStatus | undefined,
    after: PodStatus,
  ): void {
    if (!isEndedForPressure(after)) return;
    const known = this.#evictions.get(uid);
    // An agent before this one may have written none.
    const isNew = known === undefined || before === undefined ||
      !isEndedForPressure(before);
    if (!isNew) return;
    const note = noteEviction(known, {
      status: after,
      nowMs: this.#clock.now(),
    });
    this.#evictions.set(uid, note);
  }

  #put(uid: string, entry: Omit<StatusEntry, "version">): void {
    this.#lastVersion++;
    this.#entries.set(uid, { ...entry, version: this.#lastVersion });
    this.#publish(uid);
  }

  #delete(uid: string): void {
    if (!this.#entries.delete(uid)) return;
    this.#recalled.delete(uid);
    for (const each of this.#followers) each.removed(uid);
  }

  #publish(uid: string): void {
    const stored = this.stored(uid);
    if (stored === undefined) return;
    for (const each of this.#followers) each.changed(stored);
  }

  #countsOf(uid: string): RestartCounts | undefined {
    const status = this.get(uid);
    return status?.containerStatuses === undefined
      ? this.#floors.get(uid)
      : countsOf(status);
  }
}

/** By container name. */
type RestartCounts = ReadonlyMap<string, number>;

function isSameStatus(one: PodStatus, other: PodStatus): boolean {
  return one === other || stableJson(one) === stableJson(other);
}

/** Keeps a phase that is never left. */
function monotonic(
  before: StatusEntry | undefined,
  after: PodStatus,
): PodStatus {
  if (before === undefined) return after;
  const { finished, status: { phase, containerStatuses } } = before;
  // A refused pod never had containers: it is Failed only as long as it is refused.
  const isLasting = finished || containerStatuses !== undefined;
  return isLasting && isTerminalPhase(phase) ? { ...after, phase } : after;
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
    return { ...each, restartCount: Math.max(known, each.restartCount) };
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

/** Gives conditions that did not change since an earlier agent the times that it set. */
function lasting(
  status: PodStatus,
  recalled: Readonly<Record<string, ConditionMemory>> | undefined,
): PodStatus {
  if (recalled === undefined || status.conditions === undefined) return status;
  return {
    ...status,
    conditions: status.conditions.map((each) => {
      if (!Object.hasOwn(recalled, each.type)) return each;
      const before = recalled[each.type];
      const sinceMs = parseTime(before?.since);
      const nowMs = parseTime(each.lastTransitionTime);
      const isLasting = before?.status === each.status &&
        sinceMs !== undefined && nowMs !== undefined && sinceMs < nowMs;
      return isLasting ? { ...each, lastTransitionTime: before.since } : each;
    }),
  };
}
