/**
 * Looking at the pods in which a list of all shows that something moved.
 *
 * @module
 */

import { type Clock, Semaphore, type TaskGroup } from "../base/mod.ts";
import type { PodCache } from "./cache.ts";
import type { RuntimeListing } from "../runtime/observe/mod.ts";
import type { PodRecords, Settled } from "./pod_records.ts";

/** What these looks need. */
export interface ListLooksDeps {
  readonly clock: Clock;
  readonly cache: PodCache;
  readonly records: PodRecords;
  readonly isOurs?: (uid: string) => boolean;
  readonly isBusy?: (uid: string) => boolean;
  /** Asks for a pod to be looked at again by itself, if the next list is far off. */
  readonly followUp: (uid: string) => void;
}

/** Looks at the same time: a runtime answers a few at once as fast as one. */
const PARALLEL_INSPECTIONS = 8;

/** Looks that take longer go on by themselves: one poisoned pod must not delay a list. */
const LATE_MS = 1_000;

/** Brings records and cache up to a list, pod by pod. */
export class ListLooks {
  readonly #deps: ListLooksDeps;
  /** The pods whose details are being read, since this list or an earlier one. */
  readonly #looking = new Set<string>();

  constructor(deps: ListLooksDeps) {
    this.#deps = deps;
  }

  /**
   * Looks at what moved.
   *
   * @param options.tasks who waits for looks that take long; without it this does
   * @param options.told hears what came of each look
   * @returns the pods whose looks are not done yet
   */
  async settle(
    listing: RuntimeListing,
    options: {
      readonly startMs: number;
      readonly signal: AbortSignal;
      readonly tasks: TaskGroup | undefined;
      readonly told: (settled: Settled) => void;
    },
  ): Promise<ReadonlySet<string>> {
    const { startMs, signal, tasks, told } = options;
    const { records, followUp } = this.#deps;
    const places = new Semaphore(PARALLEL_INSPECTIONS);
    const looks = new Map<string, Promise<void>>();
    const late = new Set<string>(this.#looking);
    for (const uid of this.#moved(listing, startMs)) {
      if (late.has(uid)) continue;
      this.#looking.add(uid);
      const pod = listing.pods.get(uid);
      const look = records.settle(uid, pod, { startMs, signal, places })
        .then((settled) => {
          told(settled);
          if (records.mustInspect(uid)) followUp(uid);
        })
        .finally(() => {
          this.#looking.delete(uid);
          looks.delete(uid);
        });
      looks.set(uid, look);
    }
    await this.#upTo(tasks === undefined ? Infinity : LATE_MS, looks);
    for (const [uid, look] of looks) {
      late.add(uid);
      tasks?.start(() => look);
    }
    return late;
  }

  /** The pods that have to be looked at. */
  *#moved(listing: RuntimeListing, startMs: number): Iterable<string> {
    const { cache, records, isOurs, isBusy, followUp } = this.#deps;
    const uids = new Set([...records.uids(), ...cache.uids()]);
    for (const uid of listing.pods.keys()) {
      if (isOurs === undefined || isOurs(uid)) uids.add(uid);
    }
    for (const uid of uids) {
      const pod = listing.pods.get(uid);
      if (records.isSettled(uid, pod, startMs)) {
        // Somebody has looked since the list was asked for, at least at a part.
        if (records.differs(uid, pod)) followUp(uid);
      } else if (pod !== undefined && isBusy?.(uid)) {
        // Its record stays as it is, so a look after the action finds the change again.
        followUp(uid);
      } else yield uid;
    }
  }

  /** Waits for looks, but no longer than that. */
  async #upTo(
    limitMs: number,
    looks: ReadonlyMap<string, Promise<void>>,
  ): Promise<void> {
    if (looks.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    using _timer = this.#deps.clock.after(limitMs, resolve);
    await Promise.race([Promise.all(looks.values()), promise]);
  }
}
