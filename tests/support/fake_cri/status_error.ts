/**
 * How the fake runtime refuses.
 *
 * @module
 */

/** gRPC's numbers for the refusals that a runtime gives. */
export const CODE = {
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/** Ends a call with a status; grpc-js reads `code` and `details`. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly code: number;
  readonly details: string;

  constructor(code: number, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}
