/**
 * When an image is pulled.
 *
 * @module
 */

import type { ContainerSpec } from "../../api/types/mod.ts";

/** When an image is pulled although it may be there. */
export type PullPolicy = "Always" | "IfNotPresent" | "Never";

/** The policy of a container; the one that its image's tag implies when it names none. */
export function pullPolicy(
  container: Pick<ContainerSpec, "imagePullPolicy">,
  image: string,
): PullPolicy {
  switch (container.imagePullPolicy) {
    case "Always":
    case "Never":
    case "IfNotPresent":
      return container.imagePullPolicy;
    default:
      return image.endsWith(":latest") ? "Always" : "IfNotPresent";
  }
}
