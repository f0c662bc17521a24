/**
 * The bodies that both servers answer with.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { HealthSource } from "./ports.ts";

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
};

/** A refusal in the form of Kubernetes' `Status`. */
export function failure(reason: keyof typeof CODES, message: string): Response {
  return json(failureStatus(reason, message), CODES[reason]);
}

/** The body of a refusal. */
export function failureStatus(
  reason: keyof typeof CODES,
  message: string,
): object {
  const code = CODES[reason];
  const status = { metadata: {}, status: "Failure", message, reason, code };
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

/** The pods as a `List`, ordered by namespace and name. */
export function podList(pods: readonly Pod[]): Response {
  const items = pods.toSorted((left, right) =>
    compare(left.metadata.namespace, right.metadata.namespace) ||
    compare(left.metadata.name, right.metadata.name)
  );
  return json({
    apiVersion: "v1",
    kind: "List",
    metadata: { resourceVersion: "" },
    items,
  });
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * `ok`, or what is wrong with status 500. Notes stand in lines of their own.
 *
 * With `reasons` it says why; without, as upstream does for any client, only which
 * checks failed.
 */
export function healthAnswer(
  health: HealthSource,
  options: { readonly reasons: boolean; readonly verbose: boolean },
): Response {
  const problems = health.problems();
  const failed = new Map(problems.map(({ check, reason }) => [check, reason]));
  const notes = health.notes?.() ?? [];
  if (failed.size === 0 && !options.verbose) {
    return plain(["ok", ...notes].join("\n"));
  }
  const names = [...new Set([...health.checks, ...failed.keys()])];
  const lines = names.map((name) => {
    const reason = failed.get(name);
    if (reason === undefined) return `[+]${name} ok`;
    return `[-]${name} failed: ${options.reasons ? reason : "reason withheld"}`;
  });
  const verdict = failed.size === 0 ? "passed" : "failed";
  const all = [...lines, ...notes, `healthz check ${verdict}`, ""];
  return plain(all.join("\n"), {
    status: failed.size === 0 ? 200 : 500,
  });
}
