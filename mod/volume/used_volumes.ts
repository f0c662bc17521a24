/**
 * Which volumes the containers of a pod use, and which lie in each other.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../api/types/mod.ts";
import { resolvedMountPath } from "../api/validate/mod.ts";

/** What a container of any kind says of volumes. */
export type VolumeUser = Pick<
  ContainerSpec,
  "volumeMounts" | "volumeDevices" | "env"
>;

/** All containers of a pod, of every kind. */
function volumeUsers(pod: Pod): readonly VolumeUser[] {
  const { initContainers = [], containers, ephemeralContainers = [] } =
    pod.spec;
  return [...initContainers, ...containers, ...ephemeralContainers];
}

/**
 * The names of the volumes that containers mount, have as a device or take a variable
 * from (`fileKeyRef`).
 *
 * Upstream: pkg/volume/util GetPodVolumeNames.
 */
export function volumesUsedBy(
  users: readonly VolumeUser[],
): ReadonlySet<string> {
  const mounts = users.flatMap((user) => user.volumeMounts ?? []);
  const devices = users.flatMap((user) => user.volumeDevices ?? []);
  const files = users.flatMap((user) => user.env ?? [])
    .flatMap(({ valueFrom }) => valueFrom?.fileKeyRef ?? []);
  return new Set([
    ...mounts.map(({ name }) => name),
    ...files.map(({ volumeName }) => volumeName),
    ...devices.map(({ name }) => name),
  ]);
}

/** The names of the volumes that any container of the pod uses. */
export function usedNames(pod: Pod): ReadonlySet<string> {
  return volumesUsedBy(volumeUsers(pod));
}

/** The names of the volumes that a container has as a device. */
export function deviceNames(pod: Pod): ReadonlySet<string> {
  const devices = volumeUsers(pod).flatMap((user) => user.volumeDevices ?? []);
  return new Set(devices.map(({ name }) => name));
}

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
  const mounts = (container.volumeMounts ?? []).map((mount) => {
    const path = resolvedMountPath(mount.mountPath);
    // What is mounted of such a volume is not its root.
    const isPart = Boolean(mount.subPath) || Boolean(mount.subPathExpr);
    const isWhole = mount.name === volumeName && !isPart;
    return { path, key: keyOf(path), isWhole };
  });
  const sorted = mounts
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
