/**
 * A status in which one container has become ready, started, or the contrary.
 *
 * @module
 */

import type { ContainerStatus, Pod, PodStatus } from "../../api/types/mod.ts";
import { servingContainers } from "../../api/vocabulary/mod.ts";
import { parseContainerId } from "../../api/objects/mod.ts";
import { defined } from "../../base/mod.ts";
import { refreshReadiness } from "./conditions.ts";

/** How a container answers a probe. */
export interface ProbeAnswer {
  readonly kind: "readiness" | "startup";
  /** With or without the runtime's name before it. */
  readonly containerId: string;
  /** Whether it is ready, or has started. */
  readonly isSuccess: boolean;
}

/**
 * The status with a container that is ready or has started, or has not; conditions that
 * follow from it have changed with it. A container that does not run has not started, and
 * one that has not started is never ready; without a readiness probe it is once it has.
 *
 * @returns the same status when it says so already or does not have the container
 *
 * (kubelet: SetContainerReadiness; SetContainerStartup, which leaves readiness to the
 * next sync)
 */
export function withProbeAnswer(
  pod: Pod,
  status: PodStatus,
  { kind, containerId, isSuccess, nowMs }: ProbeAnswer & {
    readonly nowMs: number;
  },
): PodStatus {
  const id = bareId(containerId);
  // Only apps and sidecars are asked.
  const probed = new Map(
    servingContainers(pod).map((container) => [container.name, container]),
  );
  let isChanged = false;
  const apply = (each: ContainerStatus): ContainerStatus => {
    const container = probed.get(each.name);
    if (container === undefined || each.containerID === undefined) return each;
    if (bareId(each.containerID) !== id) return each;
    const isGood = isSuccess && each.state?.running !== undefined;
    const after = kind === "readiness"
      ? { ...each, ready: isGood && each.started !== false }
      : {
        ...each,
        ready: isGood && (container.readinessProbe === undefined || each.ready),
        started: isGood,
      };
    if (after.ready === each.ready && after.started === each.started) {
      return each;
    }
    isChanged = true;
    return after;
  };
  const { containerStatuses, initContainerStatuses } = status;
  const changed = defined({
    ...status,
    containerStatuses: containerStatuses?.map(apply),
    initContainerStatuses: initContainerStatuses?.map(apply),
  });
  return isChanged ? refreshReadiness(pod, changed, { nowMs }) : status;
}

function bareId(containerId: string): string {
  return parseContainerId(containerId)?.id ?? containerId;
}
