/**
 * Whether every source has delivered, so that absence means removal.
 *
 * @module
 */

import type { PodStorage } from "./merge.ts";
import type { SourceName } from "./source_set.ts";

/**
 * Holds back what would remove pods until all sources have spoken.
 *
 * A source is ready once it delivered a complete set and the sync loop handled one; with
 * no source configured all are (upstream's config.SourcesReady). The pods of a
 * source never wait for another source: only clearing up does.
 */
export class SourcesReady {
  readonly #configured: ReadonlySet<SourceName>;
  readonly #storage: Pick<PodStorage, "seen">;
  readonly #handled = new Set<SourceName>();

  /** Waits for exactly the sources in `configured`. */
  constructor(
    configured: Iterable<SourceName>,
    storage: Pick<PodStorage, "seen">,
  ) {
    this.#configured = new Set(configured);
    this.#storage = storage;
  }

  /**
   * To be called when the sync loop has handled a change of the source. One out of a
   * checkpoint counts for nothing as long as the source itself is silent.
   */
  add(source: SourceName): void {
    this.#handled.add(source);
  }

  /** Whether a pod that no source names may be taken as unwanted. */
  allReady(): boolean {
    return this.missing().length === 0;
  }

  /** The sources that are still silent, for logs and health answers. */
  missing(): readonly SourceName[] {
    return [...this.#configured].filter((source) => !this.isReady(source));
  }

  /** Whether a source has spoken for itself, whatever the others do. */
  isReady(source: SourceName): boolean {
    return this.#handled.has(source) && this.#storage.seen(source);
  }
}
