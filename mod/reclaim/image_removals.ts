/**
 * Keeps pods from relying on an image while it is being removed.
 *
 * @module
 */

import { unlessAborted } from "../base/mod.ts";
import type { ImageService } from "../cri/model/mod.ts";
import { identityKeys, type ImageIdentity, nameKey } from "./image_names.ts";

/** The calls by which pods come to their images. */
export type PodImageService = Pick<ImageService, "imageStatus" | "pullImage">;

/** An image that is being removed. */
interface OngoingRemoval {
  readonly keys: ReadonlySet<string>;
  readonly done: Promise<void>;
}

/**
 * Knows which images are being removed, and lets a pod that asks for one wait as long: the
 * answer that it is there would be false by the time a container is made of it.
 */
export class ImageRemovals {
  readonly #removals = new Set<OngoingRemoval>();
  #listener = (): void => {};

  /** Has a listener called when a pod has pulled an image, or one was removed. */
  whenChanged(listener: () => void): void {
    this.#listener = listener;
  }

  /** The same calls; each waits for the removal of its image. */
  watch(images: PodImageService): PodImageService {
    return {
      imageStatus: async (spec, options) => {
        await this.#removed(spec.image, options?.signal);
        return await images.imageStatus(spec, options);
      },
      pullImage: async (spec, options) => {
        await this.#removed(spec.image, options?.signal);
        try {
          return await images.pullImage(spec, options);
        } finally {
          this.#listener();
        }
      },
    };
  }

  /** Does the work of removing an image. */
  async during(
    image: ImageIdentity,
    work: () => Promise<void>,
  ): Promise<void> {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const removal = { keys: new Set(identityKeys(image)), done };
    this.#removals.add(removal);
    try {
      await work();
    } finally {
      this.#removals.delete(removal);
      this.#listener();
      resolve();
    }
  }

  async #removed(
    image: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const key = nameKey(image);
    for (const { keys, done } of this.#removals) {
      if (!keys.has(key)) continue;
      await (signal === undefined ? done : unlessAborted(done, signal));
    }
  }
}
