/**
 * How fast a log grows, and when it is to be looked at again.
 *
 * @module
 */

/** A look at the size of a log. */
export interface SizeLook {
  readonly bytes: number;
  /** On the monotonic clock. */
  readonly atMs: number;
}

/** What the pause between two looks depends on. */
export interface LookPace {
  readonly maxSizeBytes: number;
  readonly monitorIntervalMs: number;
}

/** The shortest time between two looks at one log. */
export const SHORTEST_PAUSE_MS = 1_000;

/**
 * How long to wait for the next look: the interval, or less for a log that reaches its
 * size before at the pace of the last two looks. Pure.
 *
 * @param before absent for a log that was not looked at yet, which may grow at any pace
 * @param isRotated whether it has begun anew since
 */
export function pauseAfter(
  before: SizeLook | undefined,
  now: SizeLook,
  { maxSizeBytes, monitorIntervalMs, isRotated }: LookPace & {
    readonly isRotated: boolean;
  },
): number {
  const least = Math.min(SHORTEST_PAUSE_MS, monitorIntervalMs);
  if (before === undefined) return now.bytes > 0 ? least : monitorIntervalMs;
  const grown = now.bytes - before.bytes;
  if (grown <= 0) return monitorIntervalMs;
  const bytesPerMs = grown / Math.max(1, now.atMs - before.atMs);
  const leftBytes = maxSizeBytes - (isRotated ? 0 : now.bytes);
  return Math.min(monitorIntervalMs, Math.max(least, leftBytes / bytesPerMs));
}
