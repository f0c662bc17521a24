/**
 * Which volumes the containers of a pod use.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../api/mod.ts";

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
 * The names of the volumes that a container mounts, has as a device or takes a
 * variable from (`fileKeyRef`).
 *
 * Upstream: pkg/volume/util GetPodVolumeNames.
 */
export function usedNames(pod: Pod): ReadonlySet<string> {
  const users = volumeUsers(pod);
  const mounts = users.flatMap((user) => user.volumeMounts ?? []);
  const files = users.flatMap((user) => user.env ?? [])
    .flatMap(({ valueFrom }) => valueFrom?.fileKeyRef ?? []);
  return new Set([
    ...mounts.map(({ name }) => name),
    ...files.map(({ volumeName }) => volumeName),
    ...deviceNames(pod),
  ]);
}

/** The names of the volumes that a container has as a device. */
export function deviceNames(pod: Pod): ReadonlySet<string> {
  const devices = volumeUsers(pod).flatMap((user) => user.volumeDevices ?? []);
  return new Set(devices.map(({ name }) => name));
}
