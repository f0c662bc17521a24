/**
 * Refusals of an API server as failures.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import { ApiFailure, type FailureReason } from "../../api/access/mod.ts";

/** What is known beside the body of a refusal. */
export interface RefusalFacts {
  /** What was to be done: `list pods`. */
  readonly what: string;
  /** The status code; absent of what a watch says. */
  readonly code?: number;
  /** What the head of the answer wishes. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * What a refusal means, by its `Status` if it is one, else by the status code alone.
 *
 * @param wire the decoded body; anything when it is none
 */
export function statusFailure(wire: unknown, facts: RefusalFacts): ApiFailure {
  const status = isStatus(wire) ? wire : {};
  const { reason, message, details } = status;
  const code = facts.code ?? status["code"];
  const retryAfterMs = facts.retryAfterMs ?? wishOf(details);
  const said = typeof message === "string" && message !== ""
    ? `: ${message.slice(0, MAX_SHOWN)}`
    : "";
  return new ApiFailure(
    isTooLarge(status) ? "ResourceVersionTooLarge" : reasonOf(reason, code),
    `Cannot ${facts.what}: the API server answered ${numberOf(code)}${said}`,
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

// Enough for a refusal by several webhooks.
const MAX_SHOWN = 1024;

type StatusFields = Readonly<Record<string, unknown>>;

function isStatus(wire: unknown): wire is StatusFields {
  return isRecord(wire) && wire["kind"] === "Status";
}

function numberOf(code: unknown): string {
  return typeof code === "number" ? `${code}` : "a failure";
}

function wishOf(details: unknown): number | undefined {
  const seconds = isRecord(details) ? details["retryAfterSeconds"] : undefined;
  return typeof seconds === "number" && seconds > 0
    ? seconds * 1000
    : undefined;
}

/** Older servers say it in words only (kubernetes/kubernetes#91073). */
function isTooLarge({ reason, message, details }: StatusFields): boolean {
  if (reason !== "Timeout") return false;
  const causes = isRecord(details) ? details["causes"] : undefined;
  const isCause = Array.isArray(causes) &&
    causes.some((cause) =>
      isRecord(cause) && cause["reason"] === "ResourceVersionTooLarge"
    );
  return isCause || (typeof message === "string" &&
    message.includes("Too large resource version"));
}

function reasonOf(reason: unknown, code: unknown): FailureReason {
  const known = typeof reason === "string" && Object.hasOwn(REASONS, reason)
    ? REASONS[reason]
    : undefined;
  if (known !== undefined) return known;
  if (typeof code !== "number") return "Garbage";
  return CODES[code] ?? (code >= 500 ? "InternalError" : "BadRequest");
}

/** Upstream's metav1.StatusReason. */
const REASONS: Readonly<Record<string, FailureReason>> = {
  BadRequest: "BadRequest",
  Unauthorized: "Unauthorized",
  Forbidden: "Forbidden",
  NotFound: "NotFound",
  MethodNotAllowed: "MethodNotAllowed",
  AlreadyExists: "AlreadyExists",
  Conflict: "Conflict",
  Expired: "Expired",
  Gone: "Expired",
  Invalid: "Invalid",
  TooManyRequests: "TooManyRequests",
  InternalError: "InternalError",
  StoreReadError: "InternalError",
  ServiceUnavailable: "ServiceUnavailable",
  Timeout: "Timeout",
  ServerTimeout: "Timeout",
  NotAcceptable: "BadRequest",
  RequestEntityTooLarge: "BadRequest",
  UnsupportedMediaType: "BadRequest",
};

const CODES: Readonly<Record<number, FailureReason>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "Timeout",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  429: "TooManyRequests",
  502: "ServiceUnavailable",
  503: "ServiceUnavailable",
  504: "Timeout",
};
