/**
 * What the listeners were told of each pod, and what they have to be told next.
 *
 * @module
 */

import { type Clock, deadline, type Semaphore } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import { isUnclearEnd, type ObservedPod } from "../pod/observed/mod.ts";
import type { PodCache } from "./cache.ts";
import type { PodPart } from "./pod_part.ts";
import { nothingListed, type PodListing } from "../runtime/observe/mod.ts";
import {
  type ContainerMoved,
  diffPod,
  isUnchanged,
  type PodLifecycleEvent,
  type PodSnapshot,
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
  /** The last look at its details failed, and the log says so. */
  readonly isFailing?: true;
}

/** What came of a look at a pod. */
export interface Settled {
  /** To be told, now that the cache can answer whoever hears it. */
  readonly events: readonly PodLifecycleEvent[];
  /** Those of the events that nobody had seen before this look. */
  readonly found: readonly ContainerMoved[];
}

/** One pod whose status hangs must not hold up what the others have to tell. */
const INSPECT_DEADLINE_MS = 10_000;

/** A look that takes longer than this gives its place to another. */
const PLACE_MS = 1_000;

const NO_CHANGE: Settled = { events: [], found: [] };

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

  /** The pod that a container or sandbox belongs to, as far as it was told of or seen. */
  ownerOf(itemId: string): string | undefined {
    for (const [uid, { states }] of this.#records) {
      if (states.has(itemId)) return uid;
    }
    const { cache } = this.#deps;
    for (const uid of cache.uids()) {
      const { sandboxes = [], containers = [] } = cache.get(uid) ?? {};
      for (const { id } of sandboxes) if (id === itemId) return uid;
      for (const { id } of containers) if (id === itemId) return uid;
    }
    return undefined;
  }

  /** Whether a list shows something else than what was told. */
  differs(uid: string, listing: PodListing | undefined): boolean {
    const states = this.#records.get(uid)?.states ?? NOTHING;
    return !isUnchanged(states, listing ?? nothingListed(uid));
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
   * That a list lacks something is not believed: what was known is asked for by its id.
   * Looks at the same pod may run beside each other; that of the newest list counts.
   *
   * @param listing `undefined` when the list does not have the pod
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
  ): Promise<Settled> {
    const { startMs, signal, places } = options;
    const { cache, clock } = this.#deps;
    if (cache.entryTime(uid) > startMs) return NO_CHANGE;
    const caught = this.#catchUp(uid);
    const known = this.#records.get(uid);
    const shown = listing ?? nothingListed(uid);
    const isSame = isUnchanged(known?.states ?? NOTHING, shown);
    if (isSame && known?.mustInspect !== true) {
      if (listing === undefined) this.#forget(uid, startMs);
      return { events: caught, found: [] };
    }
    using place = await places?.acquire(signal);
    using _hurry = place &&
      clock.after(PLACE_MS, () => place[Symbol.dispose]());
    if (!await this.#inspect(shown, { startMs, signal })) {
      return { events: caught, found: [] };
    }
    // Another look may have told something meanwhile.
    const record = this.#records.get(uid);
    const before = record?.states ?? NOTHING;
    const found = this.#update(uid, startMs);
    if (this.#records.get(uid)?.states.size === 0) this.#forget(uid, startMs);
    const isAgain = found.length === 0 && record?.mustInspect === true &&
      before.size > 0;
    return {
      events: isAgain
        ? [...caught, { kind: "pod_sync", podUid: uid }]
        : [...caught, ...found],
      found,
    };
  }

  /**
   * Brings record and cache up to what was seen of one container.
   *
   * @returns what is to be told; nothing when a newer look is known
   */
  amend(uid: string, part: PodPart, atMs: number): Settled {
    const caught = this.#catchUp(uid);
    const record = this.#records.get(uid);
    if (record === undefined || !this.#deps.cache.amend(uid, part, atMs)) {
      return { events: caught, found: [] };
    }
    // The record is as old as before: it is the pod as a whole that dates it.
    const found = this.#update(uid, record.atMs);
    if (record.mustInspect) this.requestInspection(uid);
    return { events: [...caught, ...found], found };
  }

  /** Makes the record equal to the cache. @returns what that changed */
  #update(uid: string, atMs: number): ContainerMoved[] {
    const seen = this.#deps.cache.get(uid);
    const record = this.#records.get(uid);
    const states = seen === undefined ? NOTHING : snapshotOfPod(seen);
    const before = record?.states ?? NOTHING;
    const mustInspect = mayTellMore(seen, (id) => before.get(id) !== "exited");
    this.#records.set(uid, { states, atMs, mustInspect });
    return diffPod(uid, before, states);
  }

  #forget(uid: string, startMs: number): void {
    if (this.#deps.cache.delete(uid, startMs)) this.#records.delete(uid);
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
    const mustInspect = mayTellMore(
      seen,
      (id) =>
        record?.mustInspect === true || record?.states.get(id) !== "exited",
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
    options: { readonly startMs: number; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const { startMs, signal } = options;
    const { cache, clock, inspect } = this.#deps;
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
      this.#tellFailure(listing, reason);
      if (cache.set(uid, reason, startMs)) {
        this.#records.set(uid, {
          states: this.#records.get(uid)?.states ?? NOTHING,
          atMs: startMs,
          mustInspect: true,
          isFailing: true,
        });
      }
      return false;
    }
  }

  /** Once an outage, not once a look. */
  #tellFailure({ uid, name, namespace }: PodListing, error: Error): void {
    const { cache, log } = this.#deps;
    const seen = cache.get(uid);
    const fields = {
      pod: `${namespace || seen?.namespace}/${name || seen?.name}`,
      uid,
      error,
    };
    if (this.#records.get(uid)?.isFailing) {
      log.debug("pod_inspection_failed_again", fields);
    } else log.warn("pod_inspection_failed", fields);
  }
}

/**
 * Whether the next look may tell more of the end of a container: of one that is new, or
 * was to be looked at again, or that the runtime itself does not show yet.
 */
function mayTellMore(
  pod: ObservedPod | undefined,
  isOpen: (containerId: string) => boolean,
): boolean {
  return (pod?.containers ?? []).some((container) =>
    isUnclearEnd(container) &&
    (container.isUnconfirmed === true || isOpen(container.id))
  );
}
