/**
 * The pods that the node may end for the sake of others.
 *
 * @module
 */

import type { PressuredPods } from "../pressure/mod.ts";
import { isTerminalPhase } from "../pod/status/mod.ts";
import type { StatusManager } from "../status/mod.ts";
import { type ParkedPods, type PodWorkers, runningPod } from "./workers/mod.ts";

/**
 * Those of the workers that are made by the time they are asked for; none while the machine
 * goes down, as an eviction would be for good.
 */
export function evictablePods(
  workers: () => Pick<PodWorkers, "get" | "list" | "evict">,
  { statuses, parked }: {
    readonly statuses: Pick<StatusManager, "get">;
    readonly parked: Pick<ParkedPods, "isGoingDown">;
  },
): PressuredPods {
  return {
    running: () =>
      parked.isGoingDown ? [] : workers().list().flatMap(({ uid, state }) => {
        const pod = runningPod(state);
        const isOver = isTerminalPhase(statuses.get(uid)?.phase);
        return pod === undefined || isOver ? [] : [pod];
      }),
    evict: (...eviction) => workers().evict(...eviction),
    hasEnded: (uid) => {
      const kind = workers().get(uid)?.state.kind;
      return kind === undefined || kind === "terminated" || kind === "finished";
    },
  };
}
