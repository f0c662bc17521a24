/**
 * Which pods end on this node. Pure.
 *
 * @module
 */

import { podFullName } from "../../api/vocabulary/mod.ts";
import type { WorkerView } from "../../agent/workers/mod.ts";
import type { RuntimeListing } from "../../runtime/observe/mod.ts";
import type { EndingHere } from "./cluster_pods.ts";

/** What is known of the pods here. */
export interface EndingHereDeps {
  readonly workers: readonly WorkerView[];
  readonly picture: { readonly listing: RuntimeListing | undefined };
  /** The pods that an agent started here. */
  readonly owned: { has(uid: string): boolean };
}

/**
 * The pods that end, and those that an earlier agent started and that no worker has: they end
 * as well, or their source has not spoken yet. `undefined` before the runtime's first list.
 */
export function endingHere(
  { workers, picture: { listing }, owned }: EndingHereDeps,
): readonly EndingHere[] | undefined {
  if (listing === undefined) return undefined;
  const known = new Set(workers.map(({ uid }) => uid));
  return [
    ...workers.flatMap(({ uid, fullName, state }) => {
      const mayRun = state.kind === "terminating";
      const isCleared = state.kind === "terminated" &&
        state.wanted === undefined;
      return mayRun || isCleared ? [{ uid, fullName, mayRun }] : [];
    }),
    ...[...listing.pods.values()].flatMap((pod) => {
      const { uid, alive } = pod;
      if (!alive || known.has(uid) || !owned.has(uid)) return [];
      return [{
        uid,
        fullName: podFullName({ metadata: pod }),
        mayRun: true,
      }];
    }),
  ];
}
