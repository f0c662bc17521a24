/**
 * One record of the runtime in the words of a container status.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerState,
  ContainerStatus,
} from "../../api/types/mod.ts";
import { defined } from "../../base/mod.ts";
import { formatContainerId, formatQuantity } from "../../api/objects/mod.ts";
import type { ObservedContainer } from "../observed/mod.ts";
import { RESIZED_RESOURCES } from "../plan/mod.ts";
import {
  canonicalResources,
  resourceAmount,
  type ResourceList,
} from "../resources/mod.ts";
import { formatNanos } from "./timestamp.ts";

/**
 * Describes one record; `ready`, `started` and `lastState` are for the caller,
 * which knows the others.
 */
export function describeRecord(
  seen: ObservedContainer,
  container: ContainerSpec,
  runtimeName: string,
): ContainerStatus {
  return {
    ...describeResources(container, seen),
    containerID: formatContainerId(runtimeName, seen.id),
    image: seen.image,
    imageID: seen.imageRef,
    lastState: {},
    name: seen.name,
    ready: false,
    restartCount: seen.restartCount,
    state: describeState(seen, runtimeName),
    ...defined({ stopSignal: seen.stopSignal }),
    ...describeUser(seen),
    ...describeMounts(container),
  };
}

/** The mounts of a container by volume name, which the runtime does not know. */
export function describeMounts(
  { volumeMounts: mounts = [] }: ContainerSpec,
): Pick<ContainerStatus, "volumeMounts"> {
  if (mounts.length === 0) return {};
  return {
    volumeMounts: mounts.map((mount) => {
      const { mountPath, name, readOnly } = mount;
      if (readOnly !== true) return { mountPath, name };
      // Where the runtime cannot do what is asked for, there is no container.
      const isDeep = mount.recursiveReadOnly === "Enabled";
      const recursiveReadOnly = isDeep ? "Enabled" : "Disabled";
      return { mountPath, name, readOnly, recursiveReadOnly };
    }),
  };
}

/** The state alone, as of a run before. */
export function describeState(
  seen: ObservedContainer,
  runtimeName: string,
): ContainerState {
  switch (seen.state) {
    case "running":
      return { running: { startedAt: formatNanos(seen.startedAt) } };
    case "exited":
      return {
        terminated: {
          containerID: formatContainerId(runtimeName, seen.id),
          exitCode: seen.exitCode,
          finishedAt: formatNanos(seen.finishedAt),
          ...(seen.message !== "" && { message: seen.message }),
          ...describeReason(seen),
          startedAt: formatNanos(seen.startedAt),
        },
      };
    case "created":
    case "unknown":
      return { waiting: {} };
  }
}

/** The exit code of a program that obeyed SIGTERM. */
const TERMINATED_CODE = 143;

/**
 * Why a container ended. A runtime counts every process that the kernel took for its
 * memory, however long ago: one that obeyed SIGTERM since did not end of that.
 * (kubernetes #140716)
 */
function describeReason(
  { reason, exitCode }: ObservedContainer,
): { readonly reason?: string } {
  if (reason === "") return {};
  return reason === "OOMKilled" && exitCode === TERMINATED_CODE
    ? { reason: "Error" }
    : { reason };
}

function describeUser(
  { user }: ObservedContainer,
): Pick<ContainerStatus, "user"> {
  if (user === undefined) return {};
  const { uid, gid, supplementalGroups } = user;
  return { user: { linux: { uid, gid, supplementalGroups } } };
}

function describeResources(
  container: ContainerSpec,
  seen: ObservedContainer,
): Pick<ContainerStatus, "allocatedResources" | "resources"> {
  const { requests, limits, claims } = container.resources ?? {};
  // A runtime reports no memory request, and CPU only in its own grain.
  const has = seen.state === "running" && seen.resources?.fromRuntime !== true
    ? seen.resources
    : undefined;
  return defined({
    allocatedResources: requests && canonicalResources(requests),
    resources: defined({
      claims,
      limits: limits && shownLimits(actual(limits, has?.limits), seen),
      requests: requests && canonicalResources(actual(requests, has?.requests)),
    }),
  });
}

/** The named amounts as the container has them, which a resize may yet have to change. */
function actual(
  named: ResourceList,
  has: ResourceList | undefined,
): ResourceList {
  if (has === undefined) return named;
  const resized: readonly string[] = RESIZED_RESOURCES;
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, amount]) => {
      const shown = resized.includes(name) ? has[name] : amount;
      return shown === undefined ? [] : [[name, shown]];
    }),
  );
}

/**
 * The limits of a running container are read back from the runtime, which counts
 * memory in bytes: `100M` shows as `100000000`, `128Mi` as itself.
 */
function shownLimits(
  limits: ResourceList,
  seen: ObservedContainer,
): ResourceList {
  const shown = canonicalResources(limits);
  if (seen.state !== "running" || shown["memory"] === undefined) return shown;
  const bytes = resourceAmount(limits, "memory");
  const memory = formatQuantity({
    nano: bytes * 1_000_000_000n,
    format: "BinarySI",
  });
  return { ...shown, memory };
}
