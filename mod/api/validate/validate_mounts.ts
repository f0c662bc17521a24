/**
 * Checks what a container mounts of its pod's volumes.
 *
 * @module
 */

import { normalize } from "node:path/posix";
import type { Place } from "../fault/mod.ts";
import type { ContainerSpec, PodSpec, VolumeMount } from "../types/mod.ts";
import {
  type Check,
  each,
  fields,
  oneOf,
  required,
  shape,
  Uniques,
  unlessEmpty,
} from "./checks.ts";
import {
  backstepProblem,
  localPathProblem,
  MAX_PATH,
  type Problem,
  tooLong,
} from "./names.ts";
import { volumesOf } from "./pod_index.ts";

/**
 * A check of a container's `volumeMounts` and `volumeDevices`, for all containers of
 * a pod.
 */
export function mountChecks(spec: PodSpec): Check<ContainerSpec> {
  const paths = new Uniques();
  let isPrivileged = false;
  const volume = required((name, at) => {
    if (volumesOf(spec).has(name)) return;
    at.fault(
      `Not found: ${JSON.stringify(name)}: no volume of this pod has that name`,
    );
  });
  const mounts = each(fields<VolumeMount>({
    name: volume,
    mountPath: (path, at) => {
      MOUNT_PATH(path, at);
      paths.check(path, at);
    },
    subPath: unlessEmpty(LOCAL_PATH),
    subPathExpr: (path, at, { subPath }) => {
      if (!path) return;
      if (subPath) at.invalid(path, "subPath is set as well");
      LOCAL_PATH(path, at);
    },
    mountPropagation: (propagation, at) => {
      PROPAGATION(propagation, at);
      if (propagation === "Bidirectional" && !isPrivileged) {
        at.forbidden("Bidirectional is for privileged containers only");
      }
    },
    recursiveReadOnly: checkReadOnly,
  }));
  const devices = each(fields<VolumeDevice>({
    name: (name, at) => {
      volume(name, at);
      const found = volumesOf(spec).get(name);
      if (found === undefined || found.persistentVolumeClaim !== undefined) {
        return;
      }
      at.invalid(
        name,
        "can only use a volume of type persistentVolumeClaim as a block device",
      );
    },
    devicePath: (path, at) => {
      DEVICE_PATH(path, at);
      paths.check(path, at);
    },
  }));
  return (container, at) => {
    paths.clear();
    isPrivileged = container.securityContext?.privileged === true;
    mounts(container.volumeMounts, at.child("volumeMounts"));
    devices(container.volumeDevices, at.child("volumeDevices"));
  };
}

const MOUNT_PATH = required(shape(mountPathProblem));
const LOCAL_PATH = shape(localPathProblem);
const DEVICE_PATH = required(shape(backstepProblem));
const PROPAGATION = oneOf("Bidirectional", "HostToContainer", "None");
const READ_ONLY_DEPTH = oneOf("Disabled", "Enabled", "IfPossible");

type VolumeDevice = NonNullable<ContainerSpec["volumeDevices"]>[number];

function mountPathProblem(path: string): Problem {
  if (path.includes("\0")) return "must not contain NUL";
  if (path.length > MAX_PATH) return tooLong(MAX_PATH);
  // The API server lets it pass and the runtime then fails.
  return resolvedMountPath(path) === ""
    ? "must not be the root of the container"
    : undefined;
}

function checkReadOnly(
  depth: string | undefined,
  at: Place,
  { mountPropagation = "None", readOnly }: VolumeMount,
): void {
  READ_ONLY_DEPTH(depth, at);
  if (depth === undefined || depth === "Disabled") return;
  if (readOnly !== true) {
    at.forbidden("may only be specified when `readOnly` is true");
  }
  if (mountPropagation !== "None") {
    at.forbidden('may only be specified when `mountPropagation` is "None"');
  }
}

/**
 * The absolute path for a `mountPath`: a relative one counts from the root of the
 * container.
 *
 * One that is absolute stays as it is written, since the runtime resolves it.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go makeMounts, MakeAbsolutePath.
 */
export function containerMountPath(mountPath: string): string {
  if (mountPath.startsWith("/")) return mountPath;
  return resolvedMountPath(mountPath) || "/";
}

/** The same without empty steps, `.` and `..`: equal for the same place only; empty for the root. */
export function resolvedMountPath(mountPath: string): string {
  const path = normalize(`/${mountPath}`);
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
