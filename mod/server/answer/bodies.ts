/**
 * Documents, texts and refusals as answers.
 *
 * @module
 */

/** Answers with a JSON document. */
export function json(body: unknown, status: number = 200): Response {
  // Well-formed whatever a pod holds: JSON.stringify escapes lone surrogates.
  return plain(`${JSON.stringify(body)}\n`, {
    status,
    type: "application/json",
  });
}

/** Answers with a text. */
export function plain(
  body: string,
  options: { readonly status?: number; readonly type?: string } = {},
): Response {
  const bytes = new TextEncoder().encode(body);
  return new Response(bytes, {
    status: options.status ?? 200,
    headers: {
      "content-type": options.type ?? "text/plain; charset=utf-8",
      "content-length": String(bytes.length),
    },
  });
}

/** Kubernetes' reasons for a refusal, and their codes. */
const CODES = {
  BadRequest: 400,
  NotFound: 404,
  MethodNotAllowed: 405,
  Expired: 410,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
};

/** Why a question is refused. */
export type RefusalReason = keyof typeof CODES;

/** A refusal in the form of Kubernetes' `Status`. */
export function failure(
  reason: RefusalReason,
  message: string,
  details?: object,
): Response {
  return json(failureStatus(reason, message, details), CODES[reason]);
}

/** The body of a refusal. */
export function failureStatus(
  reason: RefusalReason,
  message: string,
  details?: object,
): object {
  const code = CODES[reason];
  const said = { message, reason, ...(details && { details }), code };
  const status = { metadata: {}, status: "Failure", ...said };
  return { kind: "Status", apiVersion: "v1", ...status };
}

/** The refusal of everything but reading. */
export function refuseMethod(method: string): Response {
  const response = failure(
    "MethodNotAllowed",
    `Cannot answer ${method}: wanted GET`,
  );
  response.headers.set("allow", "GET, HEAD");
  return response;
}
