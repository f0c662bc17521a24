/**
 * Leaving work alone that goes on without this waiter.
 *
 * @module
 */

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
