/**
 * One record of the runtime in the words of a container status.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerState,
  ContainerStatus,
  ResourceRequirements,
} from "../../api/types/mod.ts";
import { formatContainerId, formatQuantity } from "../../api/objects/mod.ts";
import type { ObservedContainer } from "../observed/mod.ts";
import { RESIZED_RESOURCES } from "../plan/mod.ts";
import {
  canonicalResources,
  resourceAmount,
  type ResourceList,
} from "../resources/mod.ts";
import { formatNanos } from "./timestamp.ts";

/** What a record is described with. */
export interface RecordOptions {
  /** Left out when only the state is of interest. */
  readonly container?: ContainerSpec;
  readonly runtimeName: string;
  readonly recursiveReadOnly: boolean;
}

/**
 * Describes one record; `ready`, `started` and `lastState` are for the caller,
 * which knows the others.
 */
export function describeRecord(
  seen: ObservedContainer,
  options: RecordOptions,
): ContainerStatus {
  const { container, runtimeName } = options;
  const resources = container === undefined
    ? {}
    : describeResources(container, seen);
  return {
    ...resources,
    containerID: formatContainerId(runtimeName, seen.id),
    image: seen.image,
    imageID: seen.imageRef,
    lastState: {},
    name: seen.name,
    ready: false,
    restartCount: seen.restartCount,
    state: describeState(seen, runtimeName),
    ...(seen.stopSignal === undefined ? {} : { stopSignal: seen.stopSignal }),
    ...describeUser(seen),
    ...(container === undefined ? {} : describeMounts(container, options)),
  };
}

/** The mounts of a container by volume name, which the runtime does not know. */
export function describeMounts(
  container: ContainerSpec,
  { recursiveReadOnly }: Pick<RecordOptions, "recursiveReadOnly">,
): Pick<ContainerStatus, "volumeMounts"> {
  const mounts = container.volumeMounts ?? [];
  if (mounts.length === 0) return {};
  return {
    volumeMounts: mounts.map((mount) => {
      const { mountPath, name } = mount;
      if (mount.readOnly !== true) return { mountPath, name };
      const deep = recursiveReadOnly &&
        (mount.recursiveReadOnly === "Enabled" ||
          mount.recursiveReadOnly === "IfPossible") &&
        (mount.mountPropagation ?? "None") === "None";
      return {
        mountPath,
        name,
        readOnly: true,
        recursiveReadOnly: deep ? "Enabled" : "Disabled",
      };
    }),
  };
}

function describeState(
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
          ...(seen.message === "" ? {} : { message: seen.message }),
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
  // A runtime tells no memory request, and CPU only in its own grain.
  const has = seen.state === "running" && seen.resources?.fromRuntime !== true
    ? seen.resources
    : undefined;
  const resources: ResourceRequirements = {
    ...(claims === undefined ? {} : { claims }),
    ...(limits === undefined
      ? {}
      : { limits: shownLimits(actual(limits, has?.limits), seen) }),
    ...(requests === undefined
      ? {}
      : { requests: canonicalResources(actual(requests, has?.requests)) }),
  };
  return {
    ...(requests === undefined
      ? {}
      : { allocatedResources: canonicalResources(requests) }),
    resources,
  };
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
