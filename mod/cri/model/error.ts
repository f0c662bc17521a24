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
  /** The runtime's own words, without ours around them. */
  readonly detail: string;

  constructor(
    failure: { kind: CriErrorKind; method: string; detail: string },
    options?: ErrorOptions,
  ) {
    super(`Cannot ${failure.method}: ${failure.detail}`, options);
    this.kind = failure.kind;
    this.method = failure.method;
    this.detail = failure.detail;
  }
}
