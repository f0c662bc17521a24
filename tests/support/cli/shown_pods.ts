/**
 * Pods with a status, for what clients show.
 *
 * @module
 */

import type { ContainerStatus, Pod } from "../../../mod/api/types/mod.ts";
import { containerStatus, pod, type PodDraft } from "../pods.ts";

/** A pod of namespace `default` on node `n1`. */
export function shownPod(name: string, draft: PodDraft = {}): Pod {
  return pod({
    name,
    namespace: "default",
    uid: `uid-${name}`,
    nodeName: "n1",
    ...draft,
  });
}

/** A container that waits, for a reason. */
export function waiting(
  name: string,
  reason: string,
  options: Partial<ContainerStatus> = {},
): ContainerStatus {
  return containerStatus(name, {
    ready: false,
    started: false,
    state: { waiting: { reason } },
    ...options,
  });
}

/** A container that ended. */
export function ended(
  name: string,
  exitCode: number,
  options: { readonly reason?: string; readonly signal?: number } = {},
): ContainerStatus {
  return containerStatus(name, {
    ready: false,
    started: false,
    state: { terminated: { exitCode, ...options } },
  });
}
