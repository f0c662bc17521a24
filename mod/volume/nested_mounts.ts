/**
 * Mounts of a container that lie inside another one.
 *
 * @module
 */

import { type Pod, resolvedMountPath } from "../api/mod.ts";
import { type VolumeUser, volumeUsers } from "./used_volumes.ts";

/**
 * The paths in a volume at which containers mount something else: directories
 * must be there for it, since the runtime cannot make one in a volume that it has
 * mounted read-only. What lies deeper than such a path is in the other volume.
 *
 * Upstream: pkg/volume/util/nested_volumes.go.
 *
 * @returns relative paths, each once, without `..`
 */
export function nestedMountPoints(
  pod: Pod,
  volumeName: string,
): readonly string[] {
  const found = volumeUsers(pod).flatMap((user) => nestedIn(user, volumeName));
  return [...new Set(found)];
}

function nestedIn(
  container: VolumeUser,
  volumeName: string,
): readonly string[] {
  const mounts = (container.volumeMounts ?? []).map((mount) => ({
    path: resolvedMountPath(mount.mountPath),
    // What is mounted of such a volume is not its root.
    isWhole: mount.name === volumeName && (mount.subPath ?? "") === "" &&
      (mount.subPathExpr ?? "") === "",
  }));
  const paths = mounts.map(({ path }) => path).toSorted();
  return mounts.filter(({ isWhole }) => isWhole)
    .flatMap(({ path }) => outermostBelow(path, paths));
}

function outermostBelow(
  path: string,
  sorted: readonly string[],
): readonly string[] {
  const found: string[] = [];
  for (const other of sorted) {
    if (!other.startsWith(`${path}/`)) continue;
    const below = other.slice(path.length + 1);
    if (found.some((outer) => below.startsWith(`${outer}/`))) continue;
    found.push(below);
  }
  return found;
}
