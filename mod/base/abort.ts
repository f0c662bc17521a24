/**
 * Tells an abort from a failure.
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
