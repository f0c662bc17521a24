/**
 * Mounts of a container that lie inside another one.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import { resolvedMountPath } from "../api/validate/mod.ts";
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
  const sorted = mounts.map(({ path }) => ({ path, key: keyOf(path) }))
    .toSorted((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  return mounts.filter(({ isWhole }) => isWhole)
    .flatMap(({ path }) => outermostBelow(path, sorted));
}

interface MountPoint {
  readonly path: string;
  readonly key: string;
}

/** In the order of these, all that lies below a path comes right behind it. */
function keyOf(path: string): string {
  return path.replaceAll("/", "\0");
}

function outermostBelow(
  path: string,
  sorted: readonly MountPoint[],
): readonly string[] {
  const found: string[] = [];
  const below = `${keyOf(path)}\0`;
  for (let at = firstFrom(below, sorted);;) {
    const next = sorted[at];
    if (next === undefined || !next.key.startsWith(below)) return found;
    found.push(next.path.slice(path.length + 1));
    // Past it and what lies in it.
    at = firstFrom(`${next.key}\x01`, sorted);
  }
}

/** The place of the first that is not before a key. */
function firstFrom(key: string, sorted: readonly MountPoint[]): number {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.key ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
