/**
 * Asking the runtime which images it has, no more often than needed, and having it pull.
 *
 * @module
 */

import { type Clock, defined } from "../../base/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";
import type { Image, ImageService } from "../../cri/model/mod.ts";
import type { PullCredential } from "../credentials/mod.ts";
import type { PullProgress } from "./pull_progress.ts";
import { type TriedPull, tryCredentials } from "./try_credentials.ts";

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

/** The calls that having an image takes. */
export type PullService = Pick<ImageService, "imageStatus" | "pullImage">;

/** The runtime, and what it has said of images a moment ago. */
export class ImageCalls {
  readonly #images: PullService;
  readonly #clock: Clock;
  readonly #progress: Pick<PullProgress, "begin">;
  readonly #lookups = new Map<string, Lookup>();

  constructor(
    deps: {
      readonly images: PullService;
      readonly clock: Clock;
      readonly progress: Pick<PullProgress, "begin">;
    },
  ) {
    this.#images = deps.images;
    this.#clock = deps.clock;
    this.#progress = deps.progress;
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

  /**
   * Has the runtime pull an image, with each of the credentials until one is good.
   *
   * @returns the reference by which a container names it, and what was shown
   * @throws {Error} when it is not there in time, or stands still
   * @throws {unknown} what the runtime says, and the reason of the signal when it aborts
   */
  async pull(
    image: string,
    options: {
      readonly sandboxConfig: SandboxConfig | undefined;
      readonly credentials: readonly PullCredential[];
      readonly signal: AbortSignal;
    },
  ): Promise<TriedPull> {
    const { sandboxConfig, credentials, signal } = options;
    using watched = this.#progress.begin(image);
    try {
      const common = defined({
        signal: AbortSignal.any([signal, watched.signal]),
        sandboxConfig,
      });
      const pulled = await tryCredentials(
        credentials,
        (auth) =>
          this.#images.pullImage({ image }, defined({ ...common, auth })),
      );
      this.forget(image);
      return pulled;
    } catch (error) {
      if (signal.aborted || watched.why === undefined) throw error;
      // The runtime says only that it was to end: that is no cause.
      throw new Error(`Cannot pull image "${image}": ${watched.why}`);
    }
  }
}
