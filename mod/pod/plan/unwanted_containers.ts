/**
 * What runs of a pod and has no place in it any more.
 *
 * @module
 */

import { findContainer } from "../../api/vocabulary/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import {
  currentContainer,
  isInNewestSandbox,
  type ObservedContainer,
  type ObservedPod,
} from "../observed/mod.ts";
import type { KillReason, KillStep } from "./plan_steps.ts";

/**
 * Lists the running containers that the spec does not name, that are in a sandbox
 * which was replaced, or that are not the newest of their name.
 *
 * There should be none of the latter two; one may be left by a call whose answer got
 * lost, and two must never run at once. (The kubelet looks at the newest of each name in
 * the spec alone: what an edit of the manifest renames runs on there, unseen.)
 *
 * @param starts the names of what is to start: what older sandboxes may still run of
 * them is stopped too
 */
export function findUnwanted(
  pod: Pod,
  observed: ObservedPod,
  starts: ReadonlySet<string>,
): readonly KillStep[] {
  return observed.containers.flatMap((seen) => {
    const isInPlace = isInNewestSandbox(observed, seen);
    if (seen.state === "unknown") {
      return !isInPlace && starts.has(seen.name)
        ? [step(seen, "sandbox_replaced", "may run in a replaced sandbox")]
        : [];
    }
    if (seen.state !== "running") return [];
    if (findContainer(pod, seen.name) === undefined) {
      return [step(seen, "not_in_spec", "is not in the spec any more")];
    }
    if (!isInPlace) {
      return [step(seen, "sandbox_replaced", "runs in a replaced sandbox")];
    }
    return currentContainer(observed, seen.name) === seen
      ? []
      : [step(seen, "superseded", "was superseded by a newer one")];
  });
}

function step(
  seen: ObservedContainer,
  reason: KillReason,
  what: string,
): KillStep {
  return {
    containerId: seen.id,
    containerName: seen.name,
    reason,
    message: `Container ${seen.name} ${what}`,
  };
}
