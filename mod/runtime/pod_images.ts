/**
 * Which images a pod names.
 *
 * @module
 */

import type { Pod } from "../api/mod.ts";

/** Every image that a start of one of the pod's containers may have to pull. */
export function imagesOf({ spec }: Pod): readonly string[] {
  const { initContainers = [], ephemeralContainers = [], volumes = [] } = spec;
  const containers = [
    ...initContainers,
    ...spec.containers,
    ...ephemeralContainers,
  ];
  return [
    ...containers.map(({ image }) => image),
    ...volumes.map(({ image }) => image?.reference),
  ].filter((name) => name !== undefined);
}
