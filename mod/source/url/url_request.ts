/**
 * Asking a URL for manifests: redirects, secrets and answers.
 *
 * @module
 */

import { type Clock, deadline } from "../../base/mod.ts";
import {
  type Download,
  download,
  DownloadError,
  type DownloadTls,
} from "../../host/clients/mod.ts";

/** What an answer was known by, for asking whether it still holds. */
export interface Validators {
  /** The URL that gave it, redirects followed. */
  readonly url: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/** One question. */
export interface UrlRequest {
  readonly url: URL;
  /** For the host of `url` alone. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The client's certificate in it is for the host of `url` alone. */
  readonly tls: DownloadTls | undefined;
  readonly maxBytes: number;
  /** Whether the end of the answer is vouched for by a signature. */
  readonly isSigned: boolean;
  readonly validators?: Validators | undefined;
}

/** What came of it. */
export type UrlAnswer =
  | {
    readonly kind: "body";
    readonly body: Uint8Array;
    readonly validators: Validators;
  }
  /** What the validators stand for is still so. */
  | { readonly kind: "not_modified" };

/** Nothing came that could be used; the message names no secret. */
export class UrlFault extends Error {
  override readonly name = "UrlFault";
}

/** As the kubelet's client for manifests: for the whole answer, redirects included. */
const TIMEOUT_MS = 10_000;

/** As Go's default policy. */
const MAX_REDIRECTS = 10;

/**
 * Asks and follows redirects, for at most ten seconds.
 *
 * @throws {UrlFault} When nothing came of it.
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function requestUrl(
  request: UrlRequest,
  deps: { readonly clock: Clock },
  signal: AbortSignal,
): Promise<UrlAnswer> {
  using limit = deadline(deps.clock, TIMEOUT_MS, signal);
  try {
    return await follow(request, limit.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.signal.aborted) throw error;
    const seconds = TIMEOUT_MS / 1000;
    throw new UrlFault(`there was no whole answer within ${seconds} s`);
  }
}

/** A URL without what may be secret in it: user, password and query. */
export function showUrl(url: URL): string {
  const { protocol, host, pathname, search } = url;
  const text = `${protocol}//${host}${pathname}`;
  const short = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return search === "" ? short : `${short}?…`;
}

// Enough for a URL that a person wrote; a server may send one of 16 KiB.
const MAX_SHOWN = 200;

async function follow(
  request: UrlRequest,
  signal: AbortSignal,
): Promise<UrlAnswer> {
  let at = request.url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const answer = await ask(request, at, signal);
    if (!REDIRECTS.has(answer.status)) return judge(request, at, answer);
    at = redirect(at, answer.location);
  }
  throw new UrlFault(`it redirects more than ${MAX_REDIRECTS} times`);
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function ask(
  request: UrlRequest,
  at: URL,
  signal: AbortSignal,
): Promise<Download> {
  const { maxBytes, tls } = request;
  // The operator gave the headers and the certificate for one host.
  const isHome = at.origin === request.url.origin;
  if (at.protocol === "https:" && tls === undefined) {
    throw new UrlFault(
      `it redirects to "${
        showUrl(at)
      }", for which --manifest-url-ca-file is needed`,
    );
  }
  try {
    return await download(at, {
      headers: {
        ...PLAIN_HEADERS,
        Host: [at.host],
        ...(isHome && request.headers),
        ...conditions(at, request.validators),
      },
      maxBytes,
      ...(tls !== undefined && { tls: isHome ? tls : { ca: tls.ca } }),
      signal,
    });
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    if (at.href === request.url.href) throw new UrlFault(error.message);
    const reason = error.kind === "denied"
      ? "the agent may not talk to that host, wanted that of --manifest-url"
      : error.message;
    throw new UrlFault(`it redirects to "${showUrl(at)}": ${reason}`);
  }
}

const PLAIN_HEADERS: UrlRequest["headers"] = {
  Accept: ["application/json, application/yaml, */*"],
  // Packed bodies can be a thousand times as large as they look.
  "Accept-Encoding": ["identity"],
  "User-Agent": ["skerry"],
};

function conditions(
  at: URL,
  validators: Validators | undefined,
): UrlRequest["headers"] {
  if (validators?.url !== at.href) return {};
  const { etag, lastModified } = validators;
  return {
    ...(etag !== undefined && { "If-None-Match": [etag] }),
    ...(lastModified !== undefined && { "If-Modified-Since": [lastModified] }),
  };
}

function redirect(from: URL, location: string | undefined): URL {
  if (location === undefined) throw new UrlFault("it redirects to nowhere");
  const url = URL.parse(location, from.href);
  if (url === null) {
    throw new UrlFault("it redirects to something that is no URL");
  }
  url.username = "";
  url.password = "";
  url.hash = "";
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new UrlFault(
      `it redirects to a URL of scheme "${url.protocol}", wanted http or https`,
    );
  }
  if (from.protocol === "https:" && url.protocol === "http:") {
    throw new UrlFault(
      `it redirects from https to "${showUrl(url)}", wanted https to stay`,
    );
  }
  return url;
}

function judge(request: UrlRequest, at: URL, answer: Download): UrlAnswer {
  const { status, body, encoding } = answer;
  if (status === 304) {
    const isKnown = Object.keys(conditions(at, request.validators)).length > 0;
    if (isKnown) return { kind: "not_modified" };
    throw new UrlFault(
      "it answered 304 to a question without a condition, wanted 200",
    );
  }
  if (status !== 200) throw new UrlFault(`it answered ${status}, wanted 200`);
  if (encoding !== "") {
    throw new UrlFault(
      `it answered in the encoding "${encoding}", wanted none`,
    );
  }
  if (body.length === 0) {
    throw new UrlFault(
      "it answered 200 with nothing in it, wanted manifests, or an empty PodList to remove all pods",
    );
  }
  if (!answer.isFramed && !request.isSigned) {
    throw new UrlFault(
      "it answered without a Content-Length, so that nobody can tell whether the answer is whole",
    );
  }
  const { etag, lastModified } = answer;
  return {
    kind: "body",
    body,
    validators: { url: at.href, etag, lastModified },
  };
}
