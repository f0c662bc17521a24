/**
 * Where in a container a mount is.
 *
 * @module
 */

import { normalize } from "node:path/posix";

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
