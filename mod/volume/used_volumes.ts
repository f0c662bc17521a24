/**
 * Which volumes the containers of a pod use.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../api/types/mod.ts";

/** What a container of any kind says of volumes. */
export type VolumeUser = Pick<
  ContainerSpec,
  "volumeMounts" | "volumeDevices" | "env"
>;

/** All containers of a pod, of every kind. */
export function volumeUsers(pod: Pod): readonly VolumeUser[] {
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
