/**
 * Pods that ended by themselves, and what they keep.
 *
 * @module
 */

import type { PodListing } from "../../runtime/observe/mod.ts";
import { isRemoved, stopOf, type WorkerView } from "../workers/mod.ts";
import type { PodRemains } from "./pod_remains.ts";

interface EndedPodsDeps {
  /** The pods that the runtime showed at its last listing. */
  readonly runtimePods: () => readonly PodListing[] | undefined;
  readonly remains: Pick<PodRemains, "remove">;
  readonly workers: { list(): readonly WorkerView[] };
}

/** Frees what pods keep that ended by themselves: containers and logs, but not how they ended. */
export class EndedPods {
  readonly #deps: EndedPodsDeps;
  /** The ids of containers whose removal has begun; the collector goes on with it. */
  #begun: ReadonlySet<string> = new Set();

  constructor(deps: EndedPodsDeps) {
    this.#deps = deps;
  }

  /** Begins to remove it where the disk is short; what stays in spite of that is not waited for. */
  reclaim(
    { signal: shortage }: { readonly signal: string },
  ): Promise<"done" | "under_way"> {
    if (!shortage.includes("fs.")) return Promise.resolve("done");
    const listed = new Map(
      this.#deps.runtimePods()?.map((pod) => [pod.uid, idsOf(pod)]),
    );
    const kept = this.#deps.workers.list().flatMap(({ uid, state }) => {
      const isKept = state.kind === "finished" && !isRemoved(state) &&
        stopOf(state)?.eviction === undefined;
      return isKept ? [{ uid, ids: listed.get(uid) ?? [] }] : [];
    });
    const fresh = kept.filter(({ ids }) =>
      ids.some((id) => !this.#begun.has(id))
    );
    this.#begun = new Set(kept.flatMap(({ ids }) => ids));
    for (const { uid } of fresh) this.#deps.remains.remove(uid, "status");
    return Promise.resolve(fresh.length > 0 ? "under_way" : "done");
  }
}

function idsOf({ containers }: PodListing): readonly string[] {
  return containers.map(({ id }) => id);
}
