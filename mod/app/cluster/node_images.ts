/**
 * The images of the node that a cluster is told.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type { CriConnection } from "../../cri/mod.ts";
import type { NodeImage } from "../../node/mod.ts";

/** What is asked. */
export interface NodeImagesDeps {
  readonly clock: Pick<Clock, "monotonic">;
  readonly images: Pick<CriConnection["images"], "listImages">;
}

/** Somebody else may pull and remove images, too. */
const REFRESH_MS = 5 * 60_000;

/** A name with the digest of what it means. */
const DIGEST = /@sha256:[0-9a-f]{64}$/;

/** Asks the runtime for its images when there may be others than before. */
export class NodeImages {
  readonly #deps: NodeImagesDeps;
  #known: readonly NodeImage[] | undefined;
  #staleMs = -Infinity;

  constructor(deps: NodeImagesDeps) {
    this.#deps = deps;
  }

  /** Those of the last answer; `undefined` before the first. */
  get known(): readonly NodeImage[] | undefined {
    return this.#known;
  }

  /** Something was pulled or removed, or the runtime is another one. */
  changed(): void {
    this.#staleMs = -Infinity;
  }

  /** @throws {CriError} when the runtime does not answer */
  async refresh(signal: AbortSignal): Promise<void> {
    const { clock, images } = this.#deps;
    const nowMs = clock.monotonic();
    if (nowMs < this.#staleMs) return;
    // What changes from here on may be missing in the answer.
    this.#staleMs = nowMs + REFRESH_MS;
    try {
      const listed = await images.listImages({ signal });
      this.#known = listed.map(({ names, size }) => ({
        digests: names.filter((name) => DIGEST.test(name)),
        tags: names.filter((name) => !DIGEST.test(name)),
        sizeBytes: Number(size),
      }));
    } catch (error) {
      this.changed();
      throw error;
    }
  }
}
