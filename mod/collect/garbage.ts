/**
 * What is handed over to be removed.
 *
 * @module
 */

/** One thing that is of no use any more. */
export interface Garbage {
  /** What it is, the same when it is found again: `sandbox/<id>`. */
  readonly key: string;
  /** What it is, for the operator: `sandbox "1f…" of pod "shop/web"`. */
  readonly what: string;
  /**
   * Removes it; what is gone already counts as removed. Called until it succeeds, so
   * it goes on where an earlier try ended.
   *
   * @throws {Error} when some of it is left
   */
  remove(signal: AbortSignal): Promise<void>;
}

/** A piece that is still there. */
export interface PendingGarbage {
  readonly key: string;
  readonly what: string;
  /** Why the last try failed; absent when none has. */
  readonly failure?: string;
}
