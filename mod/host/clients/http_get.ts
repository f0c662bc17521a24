/**
 * One HTTP GET to a workload on this node, as hooks and probes need it.
 *
 * Not `fetch`: that refuses ports which browsers hold to be dangerous, cannot leave
 * a certificate unchecked, and hides the headers it adds. Not `node:http` either,
 * which under Deno costs twice the processor time, and there may be hundreds of
 * probes a second.
 *
 * @module
 */

import { type ByteLink, openLink, openTlsLink } from "./byte_link.ts";
import { type HttpAnswer, type LastAnswer, readAnswer } from "./http_answer.ts";
import type { TcpAddress } from "./tcp_connect.ts";

/** What is sent, and how much of an answer is wanted. */
export interface HttpGetOptions {
  /** Every value of a name is sent, in order; nothing is added but `Host` and `Connection`. */
  readonly headers: RequestHeaders;
  /** The most bytes of the answer's body; then the connection is closed. */
  readonly maxBodyBytes: number;
  /** Cancels the request; without it the system's own limits hold. */
  readonly signal: AbortSignal;
}

/**
 * Asks once: redirects are the caller's to follow, and certificates are not checked,
 * since a workload's are its own.
 *
 * @param url Of scheme `http` or `https`; its user and password are not sent.
 * @throws {NotTlsError} When an `https` server answers in plain text.
 * @throws {ConnectError} When there is no connection.
 * @throws {Deno.errors.NotCapable} When this process may not connect there.
 * @throws {AnswerError} When there is no answer.
 * @throws {TypeError} When a header cannot be sent.
 * @throws {unknown} The reason of the signal when it aborts before the answer's body.
 */
export async function httpGet(
  url: URL,
  options: HttpGetOptions,
): Promise<HttpAnswer> {
  const { signal } = options;
  const request = requestText(url, options.headers);
  const address = addressOf(url);
  using link = url.protocol === "https:"
    ? await openTlsLink(address, signal)
    : await openLink(address, signal);
  await link.write(encoder.encode(request));
  const { closes, ...answer } = await readAnswer(link, options);
  await letClose(link, { ...answer, closes });
  return answer;
}

/**
 * Waits until a server has closed the connection that says that it does so.
 *
 * The side that closes first keeps the connection's two ports occupied for a minute, and
 * the ports of a node are few; those of a pod are its own.
 */
async function letClose(
  link: ByteLink,
  { closes, bodyEnd }: LastAnswer,
): Promise<void> {
  if (!closes || bodyEnd !== "whole") return;
  try {
    await link.read(new Uint8Array(1));
  } catch {
    // There is an answer; how the connection ends changes nothing.
  }
}

const encoder = new TextEncoder();

function requestText(url: URL, headers: RequestHeaders): string {
  const given = Object.entries(headers).map((
    [name, values],
  ): readonly [string, readonly string[]] => {
    if (!TOKEN.test(name)) {
      throw new TypeError(
        `Cannot send a header: found the name ${
          JSON.stringify(name)
        }, wanted a token`,
      );
    }
    // Anything else could end the header, and begin another request.
    if (values.some((value) => CONTROL.test(value))) {
      throw new TypeError(
        `Cannot send the header "${name}": found a control character in its value, wanted text`,
      );
    }
    return [name, values];
  });
  const host = given.find(([name]) => name.toLowerCase() === "host");
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${host?.[1].at(-1) ?? url.host}`,
    ...given.flatMap(([name, values]) =>
      OWN_HEADERS.has(name.toLowerCase())
        ? []
        : values.map((value) => `${name}: ${value.trim()}`)
    ),
    ...isUpgrade(given) ? [] : ["Connection: close"],
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Those that say how the request itself is framed (upstream: net/http reqWriteExcludeHeader). */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "trailer",
]);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

// deno-lint-ignore no-control-regex -- they are what it looks for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/** A request for another protocol has a `Connection` header of its own. */
function isUpgrade(
  headers: readonly (readonly [string, readonly string[]])[],
): boolean {
  return headers.some(([name, values]) =>
    name.toLowerCase() === "connection" &&
    values.some((value) => /upgrade|close/i.test(value))
  );
}

/** Header names and every value of each, in order. */
export type RequestHeaders = Readonly<Record<string, readonly string[]>>;

/** The address to connect to for a URL. */
export function addressOf(url: URL): TcpAddress {
  return {
    // The brackets of an IPv6 address belong to the URL, not to the address.
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === ""
      ? DEFAULT_PORTS[url.protocol] ?? 80
      : Number(url.port),
  };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
};

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
 * One that leaves it is the answer: a workload must not send the agent to other
 * services of the node.
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
    // A `Host` header holds until a redirect names another host.
    if (location !== undefined && URL.canParse(location)) {
      headers = Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => name.toLowerCase() !== "host"),
      );
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
