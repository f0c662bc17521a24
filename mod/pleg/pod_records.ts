/**
 * What the listeners were told of each pod, and what they have to be told next.
 *
 * @module
 */

import {
  type Clock,
  deadline,
  describeError,
  type Logger,
  type Semaphore,
} from "../base/mod.ts";
import { isUnclearEnd, type ObservedPod } from "../pod/mod.ts";
import type { PodCache, PodListing } from "../runtime/mod.ts";
import {
  diffPod,
  isUnchanged,
  type PodLifecycleEvent,
  type PodSnapshot,
  snapshotOfListing,
  snapshotOfPod,
} from "./diff.ts";

/** What keeping records needs. */
export interface RecordDeps {
  readonly cache: PodCache;
  readonly clock: Clock;
  readonly log: Logger;
  /** Looks closely at a pod of the list just made; keeps nothing. */
  readonly inspect: (
    listing: PodListing,
    signal: AbortSignal,
  ) => Promise<ObservedPod>;
}

/** What a pod was like when its last event was told. */
interface PodRecord {
  readonly states: PodSnapshot;
  /** When that was asked, on the monotonic clock. */
  readonly atMs: number;
  /** Its details could not be read or were asked for: look again whatever the list says. */
  readonly mustInspect: boolean;
}

/** One pod whose status hangs must not hold up what the others have to tell. */
const INSPECT_DEADLINE_MS = 10_000;

const NOTHING: PodSnapshot = new Map();

/**
 * Compares lists with what was told before.
 *
 * What the cache knows to be newer than a list outranks the list.
 */
export class PodRecords {
  readonly #deps: RecordDeps;
  readonly #records = new Map<string, PodRecord>();

  constructor(deps: RecordDeps) {
    this.#deps = deps;
  }

  /** The pods that something was told of. */
  uids(): Iterable<string> {
    return this.#records.keys();
  }

  /** True when no pod is known. */
  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  /** Whether the next list looks closely at a pod even if nothing of it moved. */
  mustInspect(uid: string): boolean {
    return this.#records.get(uid)?.mustInspect === true;
  }

  /** Makes the next list look closely at a pod even if nothing of it moved. */
  requestInspection(uid: string): void {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    this.#records.set(uid, { ...record, mustInspect: true });
  }

  /** True when there is nothing to do for a pod: the case of nearly all, every second. */
  isSettled(
    uid: string,
    listing: PodListing | undefined,
    startMs: number,
  ): boolean {
    const seenMs = this.#deps.cache.entryTime(uid);
    // The list is older than what is known: the next one will tell.
    if (seenMs > startMs) return true;
    const record = this.#records.get(uid);
    return record !== undefined && listing !== undefined &&
      !record.mustInspect && record.atMs >= seenMs &&
      isUnchanged(record.states, listing);
  }

  /**
   * Brings record and cache up to what a list shows of one pod.
   *
   * @param listing `undefined` when the list does not have the pod
   * @returns what is to be told, now that the cache can answer whoever hears it
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async settle(
    uid: string,
    listing: PodListing | undefined,
    options: {
      readonly startMs: number;
      readonly signal: AbortSignal;
      readonly places?: Semaphore;
    },
  ): Promise<readonly PodLifecycleEvent[]> {
    const { startMs, signal, places } = options;
    const { cache } = this.#deps;
    if (cache.entryTime(uid) > startMs) return [];
    const events: PodLifecycleEvent[] = this.#catchUp(uid);
    const record = this.#records.get(uid);
    const before = record?.states ?? NOTHING;
    if (listing === undefined) {
      cache.delete(uid, startMs);
      this.#records.delete(uid);
      return [...events, ...diffPod(uid, before, NOTHING)];
    }
    const after = snapshotOfListing(listing);
    const moved = diffPod(uid, before, after);
    if (moved.length === 0 && record?.mustInspect !== true) return events;
    using _place = await places?.acquire(signal);
    if (!await this.#inspect(listing, { startMs, before, signal })) {
      return events;
    }
    this.#records.set(uid, {
      states: after,
      atMs: startMs,
      mustInspect: unclearEnds(cache.get(uid)).some((id) =>
        before.get(id) !== "exited"
      ),
    });
    return moved.length > 0
      ? [...events, ...moved]
      : [...events, { kind: "pod_sync", podUid: uid }];
  }

  /**
   * Takes over what others have put into the cache since: their looks are as good as
   * ours. That something started they know; what died or went is told.
   */
  #catchUp(uid: string): PodLifecycleEvent[] {
    const { cache } = this.#deps;
    const record = this.#records.get(uid);
    const seen = cache.get(uid);
    const atMs = cache.entryTime(uid);
    if (seen === undefined || atMs <= (record?.atMs ?? -Infinity)) return [];
    const states = snapshotOfPod(seen);
    // Of an end that is new, or was to be looked at again, there may be more to tell.
    const mustInspect = unclearEnds(seen).some((id) =>
      record?.mustInspect === true || record?.states.get(id) !== "exited"
    );
    this.#records.set(uid, { states, atMs, mustInspect });
    return diffPod(uid, record?.states ?? NOTHING, states).filter(({ kind }) =>
      kind === "container_died" || kind === "container_removed"
    );
  }

  /**
   * Puts the details of a pod into the cache, or why they cannot be had: then the
   * record stays as it was, so that the next list finds the same change again.
   *
   * @returns whether what was seen is now the newest that is known
   */
  async #inspect(
    listing: PodListing,
    options: {
      readonly startMs: number;
      readonly before: PodSnapshot;
      readonly signal: AbortSignal;
    },
  ): Promise<boolean> {
    const { startMs, before, signal } = options;
    const { cache, clock, inspect, log } = this.#deps;
    const { uid } = listing;
    using limit = deadline(clock, INSPECT_DEADLINE_MS, signal);
    try {
      const observed = await inspect(listing, limit.signal);
      return cache.set(uid, observed, startMs);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error
        ? error
        : new Error(describeError(error));
      const { name, namespace } = listing;
      log.warn("pod_inspection_failed", {
        pod: `${namespace}/${name}`,
        uid,
        error: reason,
      });
      if (cache.set(uid, reason, startMs)) {
        const atMs = startMs;
        this.#records.set(uid, { states: before, atMs, mustInspect: true });
      }
      return false;
    }
  }
}

/** The ids of the containers of whose end the next look may tell more. */
function unclearEnds(pod: ObservedPod | undefined): readonly string[] {
  return (pod?.containers ?? []).filter(isUnclearEnd).map(({ id }) => id);
}
