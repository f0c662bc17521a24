/**
 * How an API server says no.
 *
 * @module
 */

/** A refusal, and the Status that tells it. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly code: number;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** As it goes over the wire. */
  get status(): Readonly<Record<string, unknown>> {
    const { code, reason, message, details } = this;
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      ...details !== undefined && { details },
      code,
    };
  }
}
