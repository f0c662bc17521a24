/**
 * The image that a container names, and when it is pulled.
 *
 * @module
 */

import { type PullPolicy, pullPolicy } from "../../api/defaults/mod.ts";
import type { ContainerSpec } from "../../api/types/mod.ts";
import { type ImageReference, parseImageReference } from "./image_reference.ts";

/** What of a container says which image it wants. */
export type ImageFields = Pick<ContainerSpec, "image" | "imagePullPolicy">;

/** An image, and the container that it is pulled for. */
export type NamedImage = ImageFields & Pick<ContainerSpec, "name">;

/** The image that a container names and when it is pulled, or what is wrong with the name. */
export function namedImage(
  container: ImageFields,
):
  | Extract<ImageReference, { kind: "invalid" }>
  | Extract<ImageReference, { kind: "ok" }> & { readonly policy: PullPolicy } {
  const reference = parseImageReference(container.image ?? "");
  if (reference.kind === "invalid") return reference;
  const policy = pullPolicy(container, reference.image);
  return { ...reference, policy };
}
