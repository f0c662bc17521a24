/**
 * Checks what a container mounts of its pod's volumes.
 *
 * @module
 */

import { normalize } from "node:path/posix";
import type { Place } from "../fault/mod.ts";
import type { ContainerSpec, PodSpec, VolumeMount } from "../types/mod.ts";
import {
  checkEnum,
  checkShape,
  requireShape,
  requireText,
  Uniques,
} from "./checks.ts";
import {
  backstepProblem,
  localPathProblem,
  MAX_PATH,
  type Problem,
  tooLong,
} from "./names.ts";
import { volumesOf } from "./pod_index.ts";

/** Reports what is wrong with a container's `volumeMounts` and `volumeDevices`. */
export function validateMounts(
  container: ContainerSpec,
  at: Place,
  spec: PodSpec,
): void {
  const paths = new Uniques();
  const isPrivileged = container.securityContext?.privileged === true;
  for (const [i, mount] of (container.volumeMounts ?? []).entries()) {
    const place = at.child("volumeMounts").index(i);
    checkVolume(mount.name, place.child("name"), spec);
    requireShape(mount.mountPath, mountPathProblem, place.child("mountPath"));
    paths.check(mount.mountPath, place.child("mountPath"));
    checkSubPaths(mount, place);
    checkPropagation(mount, place, { isPrivileged });
    checkReadOnly(mount, place);
  }
  for (const [i, device] of (container.volumeDevices ?? []).entries()) {
    const place = at.child("volumeDevices").index(i);
    checkVolume(device.name, place.child("name"), spec);
    requireShape(device.devicePath, backstepProblem, place.child("devicePath"));
    paths.check(device.devicePath, place.child("devicePath"));
    const volume = volumesOf(spec).get(device.name);
    if (volume !== undefined && volume.persistentVolumeClaim === undefined) {
      place.child("name").invalid(
        device.name,
        "can only use a volume of type persistentVolumeClaim as a block device",
      );
    }
  }
}

function checkVolume(
  name: string | undefined,
  at: Place,
  spec: PodSpec,
): void {
  requireText(name, at);
  if (name && !volumesOf(spec).has(name)) {
    at.fault(
      `Not found: ${JSON.stringify(name)}: no volume of this pod has that name`,
    );
  }
}

function mountPathProblem(path: string): Problem {
  if (path.includes("\0")) return "must not contain NUL";
  if (path.length > MAX_PATH) return tooLong(MAX_PATH);
  // The API server lets it pass and the runtime then fails.
  return resolvedMountPath(path) === ""
    ? "must not be the root of the container"
    : undefined;
}

function checkSubPaths(mount: VolumeMount, at: Place): void {
  if (mount.subPath) {
    checkShape(mount.subPath, localPathProblem, at.child("subPath"));
  }
  if (!mount.subPathExpr) return;
  const place = at.child("subPathExpr");
  if (mount.subPath) place.invalid(mount.subPathExpr, "subPath is set as well");
  checkShape(mount.subPathExpr, localPathProblem, place);
}

function checkPropagation(
  mount: VolumeMount,
  at: Place,
  options: { readonly isPrivileged: boolean },
): void {
  const place = at.child("mountPropagation");
  checkEnum(
    mount.mountPropagation,
    ["Bidirectional", "HostToContainer", "None"],
    place,
  );
  if (mount.mountPropagation === "Bidirectional" && !options.isPrivileged) {
    place.forbidden("Bidirectional is for privileged containers only");
  }
}

function checkReadOnly(mount: VolumeMount, at: Place): void {
  const { mountPropagation = "None", recursiveReadOnly } = mount;
  if (recursiveReadOnly === undefined) return;
  const place = at.child("recursiveReadOnly");
  checkEnum(recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"], place);
  if (recursiveReadOnly === "Disabled") return;
  if (mount.readOnly !== true) {
    place.forbidden("may only be specified when `readOnly` is true");
  }
  if (mountPropagation !== "None") {
    place.forbidden('may only be specified when `mountPropagation` is "None"');
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
