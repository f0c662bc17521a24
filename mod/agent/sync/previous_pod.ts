/**
 * Telling a pod from another that had its UID before.
 *
 * @module
 */

import type { ObservedPod } from "../../pod/observed/mod.ts";

/**
 * Records in the runtime that are of an earlier pod of the same UID, and say nothing of
 * the one that there is now: not how it ended, nor that its init containers are done.
 */
export class FormerLives {
  /** The ids of sandboxes and containers, by UID. */
  readonly #ids = new Map<string, ReadonlySet<string>>();

  /**
   * All that is seen of the UID is of a pod that has ended.
   *
   * @param isPending whether something with the id may be there still
   */
  part(observed: ObservedPod, isPending: (id: string) => boolean): void {
    const { uid, sandboxes, containers } = observed;
    const earlier = [...this.#ids.get(uid) ?? []].filter(isPending);
    const seen = [...sandboxes, ...containers].map(({ id }) => id);
    const ids = new Set([...earlier, ...seen]);
    if (ids.size > 0) this.#ids.set(uid, ids);
  }

  /** Nothing of the UID is left. */
  forget(uid: string): void {
    this.#ids.delete(uid);
  }

  /**
   * The pod that there is now. As long as the other's records are there their names are
   * taken, so the numbers that they have are told.
   */
  without(observed: ObservedPod): ObservedPod {
    const former = this.#ids.get(observed.uid);
    if (former === undefined) return observed;
    const { sandboxes, containers } = observed;
    const ours = {
      sandboxes: sandboxes.filter(({ id }) => !former.has(id)),
      containers: containers.filter((each) =>
        !former.has(each.id) && !former.has(each.sandboxId)
      ),
    };
    const others = {
      sandboxes: sandboxes.filter(({ id }) => former.has(id)),
      containers: containers.filter((each) => !ours.containers.includes(each)),
    };
    if (others.sandboxes.length + others.containers.length === 0) {
      return observed;
    }
    const { uid, name, namespace } = observed;
    const [newest] = sandboxes;
    const isNewestOurs = newest !== undefined && !former.has(newest.id);
    return {
      // What is said of the pod as a whole is said of its newest sandbox.
      ...isNewestOurs ? observed : { uid, name, namespace, ips: [] },
      ...ours,
      taken: {
        sandboxAttempts: others.sandboxes.map(({ attempt }) => attempt),
        restartCounts: others.containers.map(({ name, restartCount }) => ({
          name,
          restartCount,
        })),
      },
    };
  }
}
