/**
 * Looking at a pod that was stopped.
 *
 * @module
 */

import type { CallOptions } from "../../cri/model/mod.ts";
import {
  isUnclearEnd,
  type ObservedPod,
  type ObservedSandbox,
} from "../../pod/observed/mod.ts";
import {
  inspectContainer,
  type ObserveDeps,
  podIps,
  withContainers,
} from "./observe.ts";

/**
 * Looks at a pod whose sandboxes were stopped a moment ago, by the ids of what was seen of
 * it: only how its containers ended is asked. What was never seen is not looked for.
 *
 * @param options.sandboxIds the sandboxes that were stopped
 * @throws {CriError} when the runtime cannot answer
 */
export async function inspectStopped(
  deps: ObserveDeps,
  seen: ObservedPod,
  options: CallOptions & { readonly sandboxIds: readonly string[] },
): Promise<ObservedPod> {
  const { sandboxIds, signal } = options;
  const looked = await Promise.all(seen.containers.map((container) => {
    const { id, sandboxId, state } = container;
    return state === "exited" && !isUnclearEnd(container)
      ? container
      : inspectContainer(deps, id, { sandboxId, signal });
  }));
  const sandboxes = seen.sandboxes.map((sandbox): ObservedSandbox =>
    sandboxIds.includes(sandbox.id)
      ? { ...sandbox, ready: false, isStopped: true }
      : sandbox
  );
  return withContainers(
    { ...seen, sandboxes, containers: [], ips: podIps(sandboxes, seen) },
    looked.filter((container) => container !== undefined),
  );
}
