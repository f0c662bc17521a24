/**
 * Asking the runtime which images it has, no more often than needed.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type { Image, ImageService } from "../../cri/model/mod.ts";

interface Lookup {
  readonly answer: Promise<Image | undefined>;
  readonly atMs: number;
  /** True once the answer has come and is yes. */
  isPresent: boolean;
}

/** A burst of pods with one image asks once; an image imported anew is seen soon. */
const LOOKUP_TTL_MS = 2_000;
/** Enough for any node; what is beyond is asked of the runtime. */
const MAX_LOOKUPS = 256;

/** The images that the runtime was asked for a moment ago. */
export class ImageLookups {
  readonly #images: Pick<ImageService, "imageStatus">;
  readonly #clock: Clock;
  readonly #lookups = new Map<string, Lookup>();

  constructor(
    deps: {
      readonly images: Pick<ImageService, "imageStatus">;
      readonly clock: Clock;
    },
  ) {
    this.#images = deps.images;
    this.#clock = deps.clock;
  }

  /** Whether the image is known to be there, without asking. */
  isPresent(image: string): boolean {
    return this.#lookups.get(image)?.isPresent ?? false;
  }

  /** Makes the next question go to the runtime. */
  forget(image: string): void {
    this.#lookups.delete(image);
  }

  /** The image, if the runtime has it. */
  ask(image: string): Promise<Image | undefined> {
    const nowMs = this.#clock.monotonic();
    const known = this.#lookups.get(image);
    if (known !== undefined && nowMs - known.atMs < LOOKUP_TTL_MS) {
      return known.answer;
    }
    if (this.#lookups.size >= MAX_LOOKUPS) this.#lookups.clear();
    const answer = this.#images.imageStatus({ image });
    const lookup: Lookup = { answer, atMs: nowMs, isPresent: false };
    this.#lookups.set(image, lookup);
    const settle = (found?: Image): void => {
      lookup.isPresent = found !== undefined;
      // Only what is there is worth remembering: the rest may come any moment.
      const isLatest = this.#lookups.get(image) === lookup;
      if (isLatest && !lookup.isPresent) this.#lookups.delete(image);
    };
    answer.then(settle, () => settle());
    return answer;
  }
}
