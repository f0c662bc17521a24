/**
 * How a call to the runtime fails.
 *
 * @module
 */

/**
 * What kind of failure it was, for callers to branch on.
 *
 * `denied` is the sandbox's word, not the runtime's: the agent lacks a grant.
 */
export type CriErrorKind =
  | "unavailable"
  | "deadline"
  | "cancelled"
  | "not_found"
  | "already_exists"
  | "unimplemented"
  | "resource_exhausted"
  | "denied"
  | "failed";

/** A call to the runtime that did not succeed. */
export class CriError extends Error {
  override readonly name = "CriError";
  readonly kind: CriErrorKind;
  /** The CRI method, such as `RunPodSandbox`. */
  readonly method: string;
  /** The runtime's own words, without the agent's around them. */
  readonly detail: string;
  /** The detail without what was wanted instead; absent where that is all of it. */
  readonly brief: string | undefined;

  constructor(
    failure: {
      readonly kind: CriErrorKind;
      readonly method: string;
      readonly detail: string;
      readonly brief?: string | undefined;
    },
    options?: ErrorOptions,
  ) {
    super(`Cannot ${failure.method}: ${failure.detail}`, options);
    this.kind = failure.kind;
    this.method = failure.method;
    this.detail = failure.detail;
    this.brief = failure.brief;
  }
}

/**
 * Waits for a call about a thing that may be gone; `undefined` when it is. The CRI
 * wants calls that take a thing away to succeed then, yet not every runtime does so.
 *
 * @throws {unknown} Whatever else the call rejects with.
 */
export async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CriError && error.kind === "not_found") {
      return undefined;
    }
    throw error;
  }
}
