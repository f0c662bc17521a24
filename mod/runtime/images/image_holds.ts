/**
 * Which images containers are about to be made of.
 *
 * @module
 */

import type { Sessions } from "../../base/mod.ts";
import type { PodRef } from "../../api/types/mod.ts";

/** An image that is in use though no container may show it yet. */
export interface ImageHold {
  readonly pod: PodRef;
  readonly container: string;
  /** As the container names it, with a tag or a digest. */
  readonly image: string;
  /** By which its container will name it; `undefined` while it is looked for or pulled. */
  readonly ref: string | undefined;
  /** On the monotonic clock in milliseconds. */
  readonly sinceMs: number;
}

/**
 * Who holds which image, from before it is looked for until a container has been made of
 * it or could not be. A remover of images that asks right before it removes takes none
 * from under a start.
 */
export class ImageHolds {
  /** By pod UID, then by container and image. */
  readonly #holds: Map<string, Map<string, ImageHold>>;

  constructor(deps: { readonly sessions: Sessions }) {
    this.#holds = deps.sessions.map();
  }

  /** All that are held now. */
  list(): readonly ImageHold[] {
    return [...this.#holds.values()].flatMap((holds) => [...holds.values()]);
  }

  /** A container wants an image; it may hold it already. */
  hold(wanted: Omit<ImageHold, "ref">): void {
    const { pod: { uid }, container, image } = wanted;
    const holds = this.#holds.get(uid) ?? new Map<string, ImageHold>();
    const key = keyOf(container, image);
    if (holds.has(key)) return;
    this.#holds.set(uid, holds.set(key, { ...wanted, ref: undefined }));
  }

  /** The image is there. */
  found(
    { uid, container, image, ref }:
      & Pick<ImageHold, "container" | "image">
      & { readonly uid: string; readonly ref: string },
  ): void {
    const key = keyOf(container, image);
    const held = this.#holds.get(uid)?.get(key);
    if (held !== undefined) this.#holds.get(uid)?.set(key, { ...held, ref });
  }

  /** Those of a pod that fit are held no longer. */
  release(
    uid: string,
    fits: (held: Pick<ImageHold, "container" | "image">) => boolean,
  ): void {
    const holds = this.#holds.get(uid);
    for (const [key, held] of holds ?? []) {
      if (fits(held)) holds?.delete(key);
    }
    if (holds?.size === 0) this.#holds.delete(uid);
  }
}

// Neither a container's name nor an image's has a space.
function keyOf(container: string, image: string): string {
  return `${container} ${image}`;
}
