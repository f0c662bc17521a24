/**
 * Looking at the pods in which a list of all shows that something moved.
 *
 * @module
 */

import { type Clock, Semaphore, type TaskGroup } from "../base/mod.ts";
import type { RuntimeListing } from "../runtime/observe/mod.ts";
import type { PodLooks, SettleOptions } from "./pod_looks.ts";
import { differs, isSettled } from "./pod_picture.ts";
import type { RuntimePicture } from "./runtime_picture.ts";

/** What these looks need. */
export interface ListLooksDeps {
  readonly clock: Clock;
  readonly picture: RuntimePicture;
  readonly looks: Pick<PodLooks, "settle">;
}

/** Looks at the same time: a runtime answers a few at once as fast as one. */
const PARALLEL_INSPECTIONS = 8;

/** Looks that take longer go on by themselves: one poisoned pod must not delay a list. */
const LATE_MS = 1_000;

/** Brings the picture up to a list, pod by pod. */
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
   * @returns the pods whose looks are not done yet
   */
  async settle(
    listing: RuntimeListing,
    options: Omit<SettleOptions, "places"> & {
      readonly tasks: TaskGroup | undefined;
    },
  ): Promise<ReadonlySet<string>> {
    const { startMs, tasks } = options;
    const places = new Semaphore(PARALLEL_INSPECTIONS);
    const looks = new Map<string, Promise<void>>();
    const late = new Set<string>(this.#looking);
    for (const uid of this.#moved(listing, startMs)) {
      if (late.has(uid)) continue;
      this.#looking.add(uid);
      const pod = listing.pods.get(uid);
      const look = this.#deps.looks.settle(uid, pod, { ...options, places })
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
    const { picture } = this.#deps;
    const uids = new Set(picture.uids());
    for (const uid of listing.pods.keys()) {
      if (picture.isManaged(uid)) uids.add(uid);
    }
    for (const uid of uids) {
      const pod = listing.pods.get(uid);
      const known = picture.of(uid);
      if (isSettled(known, pod, startMs)) {
        // Somebody has looked since the list was asked for, at least at a part.
        if (differs(uid, known, pod)) picture.followUp(uid);
      } else if (pod !== undefined && picture.isActing(uid)) {
        // What was told stays, so a look after the action finds the change again.
        picture.followUp(uid);
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
