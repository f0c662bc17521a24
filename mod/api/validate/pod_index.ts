/**
 * Finding the parts of a pod by name, since a pod may have thousands that name each
 * other, and its containers with their places.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type { ContainerSpec, PodSpec, Volume } from "../types/mod.ts";

const volumes = new WeakMap<PodSpec, ReadonlyMap<string, Volume>>();
const containers = new WeakMap<PodSpec, ReadonlySet<string>>();

/** The volumes of a pod by name, the first of a name; made once for each spec. */
export function volumesOf(spec: PodSpec): ReadonlyMap<string, Volume> {
  const known = volumes.get(spec);
  if (known !== undefined) return known;
  const made = new Map<string, Volume>();
  for (const volume of spec.volumes ?? []) {
    if (!made.has(volume.name)) made.set(volume.name, volume);
  }
  volumes.set(spec, made);
  return made;
}

/** The names of all containers of a pod; made once for each spec. */
export function containerNamesOf(spec: PodSpec): ReadonlySet<string> {
  const known = containers.get(spec);
  if (known !== undefined) return known;
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const made = new Set(all.map(({ name }) => name));
  containers.set(spec, made);
  return made;
}

/** The containers of a pod with their places, init containers first. */
export function* containerPlaces(
  spec: PodSpec,
  at: Place,
): Generator<readonly [ContainerSpec, Place]> {
  for (const list of ["initContainers", "containers"] as const) {
    for (const [i, container] of (spec[list] ?? []).entries()) {
      yield [container, at.child(list).index(i)];
    }
  }
}
