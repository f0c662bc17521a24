/**
 * Short questions about listed pods.
 *
 * @module
 */

import type { Pod } from "../../mod/api/types/mod.ts";

/** The pod that came from the manifest name `name`, whatever the node's suffix. */
export function find(pods: readonly Pod[], name: string): Pod | undefined {
  return pods.find((pod) => pod.metadata.name.startsWith(`${name}-edge`));
}

/** How many app containers of the pod the status shows as running. */
export function runningContainers(pod: Pod | undefined): number {
  return (pod?.status?.containerStatuses ?? [])
    .filter((status) => status.state?.running !== undefined).length;
}
