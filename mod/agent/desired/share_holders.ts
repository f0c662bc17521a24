/**
 * The pods that have their share of the node.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";

/** A pod that has its share of the node. */
export interface ShareHolder {
  readonly pod: Pod;
  /** It is not about to give its share back. */
  readonly stays: boolean;
}

/** What stands beside a pod that asks. */
export interface Beside {
  readonly others: readonly Pod[];
  /** Those that stay. */
  readonly lasting: readonly Pod[];
}

/**
 * Knows which pods stand beside one that asks. Most ask beside the same ones: these are
 * given the same lists, so that what is summed up of a list is summed up once.
 */
export class ShareHolders {
  readonly #byUid = new Map<string, ShareHolder>();
  /** The names that holders have or had. */
  readonly #names = new Set<string>();
  #all: Beside | undefined;

  /** Puts a pod's share among the others, in place of what its UID had. */
  set(uid: string, holder: ShareHolder): void {
    this.#byUid.set(uid, holder);
    this.#names.add(podFullName(holder.pod));
    this.#all = undefined;
  }

  /** All but those of the same name or UID: they end before this one starts. */
  beside(pod: Pod): Beside {
    const { uid } = pod.metadata;
    const fullName = podFullName(pod);
    if (!this.#byUid.has(uid) && !this.#names.has(fullName)) {
      return this.#all ??= besideOf([...this.#byUid.values()]);
    }
    return besideOf(
      [...this.#byUid.values()].filter((holder) =>
        holder.pod.metadata.uid !== uid && podFullName(holder.pod) !== fullName
      ),
    );
  }
}

function besideOf(holders: readonly ShareHolder[]): Beside {
  return {
    others: holders.map(({ pod }) => pod),
    lasting: holders.filter(({ stays }) => stays).map(({ pod }) => pod),
  };
}
