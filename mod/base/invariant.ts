/**
 * Saying what must be true, and stopping where it is not.
 *
 * @module
 */

/** A bug in the agent itself, never the fault of a manifest or of the runtime. */
export class InvariantError extends Error {
  /** Sets it apart from the errors of the platform. */
  override readonly name = "InvariantError";
}

/**
 * States what the code around it relies on.
 *
 * @throws {InvariantError} When `condition` is falsy.
 */
export function invariant(
  condition: unknown,
  message: string,
): asserts condition {
  if (!condition) throw new InvariantError(message);
}
