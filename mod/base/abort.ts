/**
 * Distinguishing an abort from a failure, and waiting no longer than until one.
 *
 * @module
 */

// As deep as anyone wraps the reason of an abort on its way up.
const MAX_CAUSES = 8;

/**
 * Whether `error` is only the echo of `signal` having aborted.
 *
 * True for the signal's own reason, bare or as a cause, and for the `AbortError`
 * that platform calls make of it. False as long as the signal has not aborted.
 */
export function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  let seen = error;
  for (let depth = 0; depth <= MAX_CAUSES; depth++) {
    if (seen === signal.reason) return true;
    if (!(seen instanceof Error)) return false;
    if (seen.name === "AbortError") return true;
    seen = seen.cause;
  }
  return false;
}

/**
 * Waits for work that must not, or cannot, be cancelled; the waiter can.
 *
 * @throws {unknown} The reason of `signal` when it aborts first; else what the work throws.
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
