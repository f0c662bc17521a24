/**
 * The sub-paths of one container from the time that they were found.
 *
 * @module
 */

import type { WantedSubPath } from "./mount_spec.ts";
import type { PathWatch, PinnedPath, SubPaths } from "./ports.ts";

/** One sub-path as it was found. */
export interface PinnedSubPath {
  readonly wanted: WantedSubPath;
  readonly pinned: PinnedPath;
}

/** Sub-paths that are watched until this is disposed of. */
export class PinnedSubPaths implements AsyncDisposable {
  readonly #all: readonly PinnedSubPath[];
  readonly #subPaths: SubPaths;
  readonly #watch: PathWatch | undefined;

  private constructor(
    all: readonly PinnedSubPath[],
    subPaths: SubPaths,
    watch: PathWatch | undefined,
  ) {
    this.#all = all;
    this.#subPaths = subPaths;
    this.#watch = watch;
  }

  /**
   * Begins to watch what was found.
   *
   * @throws {Error} When it cannot be watched.
   */
  static async watch(
    all: readonly PinnedSubPath[],
    subPaths: SubPaths,
  ): Promise<PinnedSubPaths> {
    const watch = all.length === 0
      ? undefined
      : await subPaths.watch(all.map(({ pinned }) => pinned));
    return new PinnedSubPaths(all, subPaths, watch);
  }

  /** The first sub-path that does not lead, or did not all the time, to what was found. */
  async exchanged(): Promise<WantedSubPath | undefined> {
    const [first] = this.#all;
    if (first === undefined) return undefined;
    for (const { wanted, pinned } of this.#all) {
      if (!await this.#holds(() => this.#subPaths.isUnchanged(pinned))) {
        return wanted;
      }
    }
    const { wanted } = first;
    const isUntouched = await this.#holds(() =>
      this.#watch?.isUntouched() ?? Promise.resolve(true)
    );
    return isUntouched ? undefined : wanted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch?.[Symbol.asyncDispose]();
  }

  async #holds(look: () => Promise<boolean>): Promise<boolean> {
    try {
      return await look();
    } catch {
      // What cannot be looked at is not what it was.
      return false;
    }
  }
}
