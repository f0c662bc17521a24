/**
 * Following redirects as the kubelet's probes and hooks do.
 *
 * @module
 */

import type { HttpAnswer } from "./http_answer.ts";
import type { HttpGetOptions } from "./http_get.ts";
import type { RequestHeaders } from "./http_target.ts";

/** Sends one GET; `httpGet` outside tests. */
export type SendGet = (
  url: URL,
  options: HttpGetOptions,
) => Promise<HttpAnswer>;

/** There were more redirects than anyone means. */
export class TooManyRedirectsError extends Error {
  override readonly name = "TooManyRedirectsError";
}

/**
 * Asks, and follows redirects as long as they stay on the host that was asked first.
 * One that leaves it is the answer: whoever can make a workload answer must not send
 * the agent to other services of the node.
 *
 * Upstream: pkg/probe/http/http.go RedirectChecker, and net/http Client.do.
 *
 * @throws {TooManyRedirectsError} After ten requests.
 * @throws {unknown} What `get` throws.
 */
export async function getFollowing(
  from: URL,
  get: SendGet,
  options: HttpGetOptions,
): Promise<HttpAnswer> {
  let url = from;
  let { headers } = options;
  for (let asked = 1; asked <= MAX_REQUESTS; asked++) {
    const answer = await get(url, { ...options, headers });
    const { status, location } = answer;
    const next = REDIRECTS.has(status) ? resolve(location, url) : undefined;
    if (next?.hostname !== from.hostname) return answer;
    // A host that was asked for by name holds for as long as nobody names another.
    if (location !== undefined && URL.canParse(location)) {
      headers = without(headers, "host");
    }
    url = next;
  }
  throw new TooManyRedirectsError(
    `Cannot follow redirects: found ${MAX_REQUESTS}, wanted an answer`,
  );
}

/** As many requests as Go's client makes before it gives up. */
const MAX_REQUESTS = 10;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function resolve(location: string | undefined, url: URL): URL | undefined {
  if (location === undefined || !URL.canParse(location, url)) return undefined;
  const next = new URL(location, url);
  return next.protocol === "http:" || next.protocol === "https:"
    ? next
    : undefined;
}

function without(headers: RequestHeaders, name: string): RequestHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([each]) => each.toLowerCase() !== name),
  );
}
