/**
 * Asking the runtime which images it has, no more often than needed, and having it pull.
 *
 * @module
 */

import { type Clock, defined } from "../../base/mod.ts";
import { formatDuration } from "../../base/text/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";
import type { Image, ImageService } from "../../cri/model/mod.ts";
import type { PullCredential } from "../credentials/mod.ts";
import { type TriedPull, tryCredentials } from "./try_credentials.ts";

/**
 * Longest time for one pull. The CRI reports no progress. containerd gives up a pull
 * that makes none for five minutes, so this is for a runtime that hangs itself, and long
 * enough for an image of 1 GB over a line of 2.5 Mbit/s. (The kubelet has no limit.)
 */
export const PULL_LIMIT_MS = 3_600_000;

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
  readonly #lookups = new Map<string, Lookup>();

  constructor(deps: { readonly images: PullService; readonly clock: Clock }) {
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

  /**
   * Has the runtime pull an image, with each of the credentials until one is good.
   *
   * @returns the reference by which a container names it, and what was shown
   * @throws {Error} when it is not there in time
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
    const limit = new AbortController();
    using _limit = this.#clock.after(PULL_LIMIT_MS, () => limit.abort());
    try {
      const common = defined({
        signal: AbortSignal.any([signal, limit.signal]),
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
      if (signal.aborted || !limit.signal.aborted) throw error;
      throw new Error(
        `Cannot pull image "${image}": the runtime was still pulling after ${
          formatDuration(PULL_LIMIT_MS)
        }, the longest time that a pull has`,
        { cause: error },
      );
    }
  }
}
