/**
 * Stops what runs of a pod whose name another pod has.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import type { PodLook } from "./pod_look.ts";
import type { SyncDeps } from "./sync_deps.ts";
import type { SyncMemory } from "./sync_memory.ts";
import { NOT_KILLED, recordFailure } from "./record_failure.ts";

/** What stopping needs. */
export interface YieldNameDeps extends Pick<SyncDeps, "executor" | "events"> {
  readonly memory: SyncMemory;
  readonly look: PodLook;
}

/** Whether anything of the pod runs, or may. */
export function isAlive(
  { sandboxes, containers }: Pick<ObservedPod, "sandboxes" | "containers">,
): boolean {
  return sandboxes.some(({ ready }) => ready) ||
    containers.some(({ state }) => state === "running" || state === "unknown");
}

/**
 * Stops what runs of the pod, so that no two of a name run (I1): an earlier agent may
 * have left both. It stays wanted, and starts when its name falls free.
 *
 * @returns the pod as it is after that
 * @throws {Error} when something still runs
 */
export async function yieldName(
  { pod, observed }: { readonly pod: Pod; readonly observed: ObservedPod },
  deps: YieldNameDeps,
  signal: AbortSignal,
): Promise<ObservedPod> {
  const { executor, events, memory, look } = deps;
  const { uid } = pod.metadata;
  events.record(podRef(pod), {
    type: "Warning",
    reason: "NameTaken",
    message:
      "Cannot run beside another pod of the same name: that one has run for longer, so this one stops and waits",
  });
  const stop = memory.acted(
    uid,
    () => executor.killPod({ pod, observed, startsAgain: true, signal }),
  );
  await recordFailure(stop, { pod, fault: NOT_KILLED, events, signal });
  return await look.now(uid, signal);
}
