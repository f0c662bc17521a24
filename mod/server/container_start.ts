/**
 * When a container started, as its status says.
 *
 * @module
 */

import type { ContainerStatus, Pod } from "../api/types/mod.ts";

/** The status of a container of a pod, of whatever kind it is. */
export function findContainerStatus(
  { status }: Pick<Pod, "status">,
  name: string,
): ContainerStatus | undefined {
  return [
    ...status?.containerStatuses ?? [],
    ...status?.initContainerStatuses ?? [],
  ].find((each) => each.name === name);
}

/** The time of its start while it runs. */
export function startedAt(
  status: ContainerStatus | undefined,
): string | undefined {
  return status?.state?.running?.startedAt;
}
