/**
 * Waits for what other processes do.
 *
 * @module
 */

/**
 * How long is waited for what has to come. A machine four times slower than a developer's,
 * with three test files side by side, needs a quarter of it.
 */
export const PATIENCE_MS = 120_000;

/** How {@linkcode waitUntil} waits. */
export interface WaitOptions {
  /** What was seen last, for the message of the failure. */
  readonly saw?: () => unknown;
  /** @default PATIENCE_MS */
  readonly timeoutMs?: number;
  /** @default 100 */
  readonly everyMs?: number;
}

/**
 * Looks again and again until `look` says true.
 *
 * @throws {Error} when the time is over, with what was seen last
 */
export async function waitUntil(
  what: string,
  look: () => boolean | Promise<boolean>,
  options: WaitOptions = {},
): Promise<void> {
  const { saw, timeoutMs = PATIENCE_MS, everyMs = 100 } = options;
  const until = performance.now() + timeoutMs;
  while (!await look()) {
    if (performance.now() > until) {
      const seen = saw === undefined ? "" : `: saw ${await saw()}`;
      throw new Error(`Cannot see ${what} within ${timeoutMs} ms${seen}`);
    }
    await pause(everyMs);
  }
}

/** Lets time pass. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
