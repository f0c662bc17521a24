/**
 * Telling a pod from another that had its UID before.
 *
 * @module
 */

import type { ObservedPod } from "../../pod/observed/mod.ts";

/** The ids of all sandboxes and containers that are seen of a pod. */
export function idsOf({ sandboxes, containers }: ObservedPod): string[] {
  return [...sandboxes, ...containers].map(({ id }) => id);
}

/**
 * The pod that there is now. What an earlier pod of its UID left in the runtime says
 * nothing of it: not how it ended, nor that its init containers are done. As long as the
 * other's records are there their names are taken, so their numbers are given. Pure.
 *
 * @param previous the ids of the other's sandboxes and containers
 */
export function withoutPrevious(
  observed: ObservedPod,
  previous: ReadonlySet<string> | undefined,
): ObservedPod {
  if (previous === undefined) return observed;
  const { sandboxes, containers, uid, name, namespace } = observed;
  const isOwn = (each: { readonly id: string; readonly sandboxId?: string }) =>
    !previous.has(each.id) && !previous.has(each.sandboxId ?? "");
  const own = {
    sandboxes: sandboxes.filter(isOwn),
    containers: containers.filter(isOwn),
  };
  const others = {
    sandboxes: sandboxes.filter((each) => !isOwn(each)),
    containers: containers.filter((each) => !isOwn(each)),
  };
  if (others.sandboxes.length + others.containers.length === 0) return observed;
  const [newest] = sandboxes;
  return {
    // What is said of the pod as a whole is said of its newest sandbox.
    ...newest !== undefined && isOwn(newest)
      ? observed
      : { uid, name, namespace, ips: [] },
    ...own,
    taken: {
      sandboxAttempts: others.sandboxes.map(({ attempt }) => attempt),
      restartCounts: others.containers.map(({ name, restartCount }) => ({
        name,
        restartCount,
      })),
    },
  };
}
