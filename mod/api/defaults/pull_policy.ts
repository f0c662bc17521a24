/**
 * When an image is pulled.
 *
 * @module
 */

import type { ContainerSpec } from "../types/mod.ts";

/** When an image is pulled although it may be there. */
export type PullPolicy = "Always" | "IfNotPresent" | "Never";

/** The policy of a container; the one that its image's tag implies when it names none. */
export function pullPolicy(
  { imagePullPolicy: named }: Pick<ContainerSpec, "imagePullPolicy">,
  image: string,
): PullPolicy {
  return named === "Always" || named === "Never" || named === "IfNotPresent"
    ? named
    : impliedPullPolicy(image);
}

/**
 * The policy of an image without one: `Always` when its tag is `latest`, or it has
 * neither tag nor digest and so means `latest`.
 */
export function impliedPullPolicy(image: string): PullPolicy {
  const [name = "", digest] = image.split("@");
  const colon = name.lastIndexOf(":");
  // A colon before the last slash belongs to the port of the registry.
  const tag = colon > name.lastIndexOf("/")
    ? name.slice(colon + 1)
    : name === "" || digest !== undefined
    ? undefined
    : "latest";
  return tag === "latest" ? "Always" : "IfNotPresent";
}
