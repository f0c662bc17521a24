/**
 * When to look at all manifests.
 *
 * @module
 */

/** Knows when a full look is due. All times are on the monotonic clock. */
export class ScanTimes {
  readonly #gapMs: number;
  #dueMs = -Infinity;
  #begunMs = -Infinity;
  /** How far the next full look is from the beginning of the last at least. */
  #restMs: number;

  /** @param gapMs Full looks are at least this far apart. */
  constructor(gapMs: number) {
    this.#gapMs = gapMs;
    this.#restMs = gapMs;
  }

  /** When the next one is due. */
  get nextMs(): number {
    return Math.max(this.#dueMs, this.#begunMs + this.#restMs);
  }

  /** Whether one was asked for that did not begin since. */
  isMissing(sinceMs: number, nowMs: number): boolean {
    return this.#begunMs <= sinceMs && this.#dueMs <= nowMs;
  }

  /** Asks for one at the given time, or after the gap to the one before. */
  soon(atMs: number): void {
    this.#dueMs = Math.min(this.#dueMs, atMs);
  }

  /** To be called when one begins; the next one comes after `periodMs`. */
  begin(nowMs: number, periodMs: number): void {
    this.#begunMs = nowMs;
    this.#dueMs = nowMs + periodMs;
  }

  /** To be called when one is over: however often one is asked for, most of the time none goes on. */
  end(nowMs: number): void {
    const tookMs = nowMs - this.#begunMs;
    // A disk that hung for a while is asked again as soon as one that did not.
    const pauseMs = Math.min(tookMs * (SCAN_SHARE - 1), MOST_PAUSE_MS);
    this.#restMs = Math.max(this.#gapMs, tookMs + pauseMs);
  }
}

// Of what a full look takes: how far the next one is from its beginning at least.
const SCAN_SHARE = 5;

const MOST_PAUSE_MS = 20_000;
