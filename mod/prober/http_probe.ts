/**
 * A probe that asks a web server.
 *
 * @module
 */

import { joinHostPort } from "../base/text/mod.ts";
import {
  addressOf,
  connectFailure,
  getFollowing,
  type HttpAnswer,
  httpGet,
  isOwnFault,
  NotTlsError,
  TooManyRedirectsError,
} from "../host/clients/mod.ts";
import {
  type HttpAction,
  httpActionHeaders,
  type HttpActionPlace,
  httpActionUrl,
} from "../pod/probes/mod.ts";
import type { AttemptLimit } from "./attempt_limit.ts";
import type { ProbeResult } from "./ports.ts";

/**
 * Asks, and judges the answer by its status.
 *
 * Upstream: pkg/probe/http/http.go DoHTTPProbe; the texts are those of Go's client,
 * which operators know.
 *
 * @throws {Error} When the probe cannot be made: it leads nowhere, or the agent has no
 * permission.
 */
export async function httpProbe(
  action: HttpAction,
  place: HttpActionPlace,
  options: {
    readonly userAgent: string;
    readonly limit: AttemptLimit;
  },
): Promise<ProbeResult> {
  const { userAgent, limit } = options;
  const url = httpActionUrl(action, place);
  try {
    const answer = await getFollowing(url, httpGet, {
      headers: httpActionHeaders(action, userAgent),
      maxBodyBytes: MAX_BODY_BYTES,
      signal: limit.signal,
    });
    return judge(answer);
  } catch (error) {
    const message = `Get "${shown(url)}": ${explain(error, limit)}`;
    const kind = isOwnFault(error) ? "error" : "failure";
    return { kind, message };
  }
}

/** The longest body that is read (upstream: maxRespBodyLength). */
const MAX_BODY_BYTES = 10 * 1024;

function judge({ status, body, bodyEnd }: HttpAnswer): ProbeResult {
  if (bodyEnd === "aborted") {
    return {
      kind: "failure",
      message:
        "context deadline exceeded (Client.Timeout or context cancellation while reading body)",
    };
  }
  // Upstream takes it for a fault of the probe, by which no container is judged.
  if (bodyEnd === "broken") return { kind: "error", message: "unexpected EOF" };
  if (status < 200 || status >= 400) {
    const message = `HTTP probe failed with statuscode: ${status}`;
    return { kind: "failure", message };
  }
  const text = new TextDecoder().decode(body);
  return status < 300 ? { kind: "success", message: text } : {
    kind: "warning",
    message: `Probe terminated redirects, Response body: ${text}`,
  };
}

function explain(error: unknown, limit: AttemptLimit): string {
  if (limit.isExpired) {
    return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  }
  if (error instanceof NotTlsError) {
    return "http: server gave HTTP response to HTTPS client";
  }
  if (error instanceof TooManyRedirectsError) {
    return "stopped after 10 redirects";
  }
  return connectFailure(error);
}

/** With its port, even where that goes without saying. */
function shown(url: URL): string {
  const { protocol, pathname, search } = url;
  return `${protocol}//${joinHostPort(addressOf(url))}${pathname}${search}`;
}
