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
  /** Those whose removal has begun; the collector goes on with it. */
  #begun: ReadonlySet<string> = new Set();

  constructor(deps: EndedPodsDeps) {
    this.#deps = deps;
  }

  /** Begins to remove it where the disk is short; what stays in spite of that is not waited for. */
  reclaim(
    { signal: shortage }: { readonly signal: string },
  ): Promise<"done" | "under_way"> {
    if (!shortage.includes("fs.")) return Promise.resolve("done");
    const listed = new Set(
      this.#deps.runtimePods()
        ?.filter(({ containers }) => containers.length > 0)
        .map(({ uid }) => uid),
    );
    const uids = this.#deps.workers.list().flatMap(({ uid, state }) => {
      const isKept = state.kind === "finished" && !isRemoved(state) &&
        stopOf(state)?.eviction === undefined;
      return isKept && listed.has(uid) ? [uid] : [];
    });
    const fresh = uids.filter((uid) => !this.#begun.has(uid));
    this.#begun = new Set(uids);
    for (const uid of fresh) this.#deps.remains.remove(uid, "status");
    return Promise.resolve(fresh.length > 0 ? "under_way" : "done");
  }
}
