/**
 * The pods that have their share of the node.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import { podsWithout } from "../../pod/admission/mod.ts";

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
 * Knows which pods stand beside one that asks. Most ask beside the same ones, or beside all
 * of these but the one whose place they take: what is summed up of a list is summed up once.
 */
export class ShareHolders {
  readonly #byUid = new Map<string, ShareHolder>();
  /** The UIDs of the holders that have or had a name. */
  readonly #uidsByName = new Map<string, Set<string>>();
  #all: Beside | undefined;

  /** Puts a pod's share among the others, in place of what its UID had. */
  set(uid: string, holder: ShareHolder): void {
    this.#byUid.set(uid, holder);
    const fullName = podFullName(holder.pod);
    const uids = this.#uidsByName.get(fullName) ?? new Set<string>();
    this.#uidsByName.set(fullName, uids.add(uid));
    this.#all = undefined;
  }

  /** All but those of the same name or UID: they end before this one starts. */
  beside(pod: Pod): Beside {
    const all = this.#all ??= besideOf([...this.#byUid.values()]);
    const own = this.#own(pod);
    return own.size === 0 ? all : {
      others: podsWithout(all.others, own),
      lasting: podsWithout(all.lasting, own),
    };
  }

  #own(pod: Pod): ReadonlySet<Pod> {
    const fullName = podFullName(pod);
    const uids = [pod.metadata.uid, ...this.#uidsByName.get(fullName) ?? []];
    return new Set(uids.flatMap((uid) => {
      const holder = this.#byUid.get(uid)?.pod;
      const isOwn = holder !== undefined &&
        (uid === pod.metadata.uid || podFullName(holder) === fullName);
      return isOwn ? [holder] : [];
    }));
  }
}

function besideOf(holders: readonly ShareHolder[]): Beside {
  return {
    others: holders.map(({ pod }) => pod),
    lasting: holders.filter(({ stays }) => stays).map(({ pod }) => pod),
  };
}
