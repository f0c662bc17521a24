/**
 * Which images a pod names.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";

/** An image, and the container that it is pulled for. */
export type NamedImage = Pick<
  ContainerSpec,
  "name" | "image" | "imagePullPolicy"
>;

/** Every image that a start of one of the pod's containers may have to pull. */
export function imagesOf({ spec }: Pod): readonly NamedImage[] {
  const { initContainers = [], ephemeralContainers = [], volumes = [] } = spec;
  const [{ name = "" } = {}] = spec.containers;
  const mounted = volumes.flatMap(({ image }) =>
    image?.reference === undefined ? [] : [{
      name,
      image: image.reference,
      ...image.pullPolicy !== undefined &&
        { imagePullPolicy: image.pullPolicy },
    }]
  );
  return [
    ...initContainers,
    ...spec.containers,
    ...ephemeralContainers,
    ...mounted,
  ];
}
