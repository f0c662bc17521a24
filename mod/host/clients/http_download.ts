/**
 * One bounded HTTP GET of a document, over TLS that is checked.
 *
 * Not `fetch`: that unpacks what it was not asked to, refuses ports which browsers
 * hold to be dangerous, and follows redirects with every header.
 *
 * @module
 */

import {
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type RequestOptions,
} from "node:http";
import { request as requestHttps } from "node:https";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { ByteBuffer, UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { addressOf, type RequestHeaders } from "./http_get.ts";

/** Trusted certificates and the client's own, for TLS; all in PEM. */
export interface DownloadTls {
  /** The only authorities that count. */
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

/** What is sent, and how much of an answer is taken. */
export interface DownloadOptions {
  /** Every value of a name is sent, in order. */
  readonly headers: RequestHeaders;
  /** A longer body fails the download. */
  readonly maxBytes: number;
  /** Needed for `https`. */
  readonly tls?: DownloadTls;
  /** Cancels the request; without it nothing bounds the time. */
  readonly signal: AbortSignal;
  /** Counts pieces, and bytes that are moved. */
  readonly meter?: WorkMeter;
}

/** What came back. */
export interface Download {
  readonly status: number;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  readonly location: string | undefined;
  /** Empty when the body is as the document is. */
  readonly encoding: string;
  /** False when only the end of the connection ended the body: it may be cut. */
  readonly isFramed: boolean;
  /** All of the body; empty for every status but 200, where none is read. */
  readonly body: Uint8Array;
}

/** There is no whole answer. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
  /** `denied` when this process may not talk to that host at all. */
  readonly kind: "denied" | "failed";

  constructor(
    kind: DownloadError["kind"],
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * Asks once, over a connection of its own; redirects are the caller's to follow.
 *
 * @param url Of scheme `http` or `https`; its user and password are not sent.
 * @throws {DownloadError} When there is no whole answer of at most `maxBytes`.
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function download(
  url: URL,
  options: DownloadOptions,
): Promise<Download> {
  const { signal } = options;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Download>();
  const fail = (message: string): void =>
    reject(new DownloadError("failed", message));
  const request = send(url, options);
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const closed = (): void => fail("the connection was closed");
  request.on("close", closed);
  let informational = 0;
  request.on("information", () => {
    if (++informational <= MAX_INFORMATIONAL) return;
    fail("it sends one informational response after the other");
    request.destroy();
  });
  request.on("response", (response) => {
    // From here on the answer itself says when it ends, and how.
    request.off("close", closed);
    if (response.statusCode !== 200) return resolve(answer(response, NO_BODY));
    collect(response, options, {
      done: (body) => resolve(answer(response, body)),
      fail,
    });
  });
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    fail("it wants to switch protocols");
  });
  request.on("error", (error) => reject(explain(error)));
  request.end();
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    request.destroy();
  }
}

const NO_BODY = new Uint8Array();

// As many as Go's client lets pass.
const MAX_INFORMATIONAL = 5;

/**
 * Each piece of a body costs as much as a kilobyte, however short it is. A server that
 * sends a manifest line by line may do so for a megabyte.
 */
const MAX_PIECES = 65_536;

function send(url: URL, { headers, tls }: DownloadOptions): ClientRequest {
  const options: RequestOptions = {
    ...addressOf(url),
    path: `${url.pathname}${url.search}`,
    // A name with one value is not a list: `Host` may not be one.
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, values]) => [
        name,
        values.length === 1 ? values[0] : [...values],
      ]),
    ),
    // A connection of its own: nothing is kept open between two requests.
    agent: false,
  };
  try {
    if (url.protocol !== "https:") return requestHttp(options);
    if (tls === undefined) {
      throw new DownloadError("failed", "no authorities for TLS are known");
    }
    return requestHttps({
      ...options,
      ...tls,
      rejectUnauthorized: true,
      checkServerIdentity: namesFault,
    });
  } catch (error) {
    // Some of what is wrong with a certificate or a key shows at once.
    throw explain(error);
  }
}

/** Says why a certificate is not that of a host; the common name counts for nothing (RFC 9525). */
function namesFault(
  host: string,
  certificate: PeerCertificate,
): Error | undefined {
  return certificate.subjectaltname
    ? checkServerIdentity(host, certificate)
    : new DownloadError("failed", "the server's certificate names no host");
}

/** Reads a whole body, or says why there is none. */
function collect(
  response: IncomingMessage,
  { maxBytes, meter = UNMETERED }: DownloadOptions,
  outcome: {
    readonly done: (body: Uint8Array) => void;
    readonly fail: (message: string) => void;
  },
): void {
  const tooLong = `the answer is longer than ${maxBytes} bytes`;
  const declared = Number(response.headers["content-length"] ?? 0);
  if (declared > maxBytes) return outcome.fail(tooLong);
  const body = new ByteBuffer({ maxBytes, meter });
  let pieces = 0;
  const take = (piece: Uint8Array): void => {
    const fault = ++pieces > MAX_PIECES
      ? `the answer comes in more than ${MAX_PIECES} pieces`
      : body.add(piece)
      ? undefined
      : tooLong;
    if (fault === undefined) return;
    // What was received with this piece would come one by one, and be for nothing.
    response.off("data", take);
    response.destroy();
    outcome.fail(fault);
  };
  response.on("data", take);
  const cut = (): void => outcome.fail("the answer broke off");
  response.on("end", () => {
    if (!response.complete) return cut();
    outcome.done(body.bytes);
  });
  response.on("error", cut);
  response.on("close", cut);
}

function answer(response: IncomingMessage, body: Uint8Array): Download {
  const { headers } = response;
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  return {
    status: response.statusCode ?? 0,
    etag: headers.etag,
    lastModified: headers["last-modified"],
    location: headers.location,
    encoding: encoding === "identity" ? "" : encoding,
    isFramed: headers["content-length"] !== undefined ||
      headers["transfer-encoding"] !== undefined,
    body,
  };
}

function explain(error: unknown): DownloadError {
  if (error instanceof DownloadError) return error;
  const options = { cause: error };
  const code = codeOf(error);
  const text = describeError(error);
  if (error instanceof Deno.errors.NotCapable || DENIALS.has(code)) {
    return new DownloadError("denied", text, options);
  }
  const message = code.startsWith("HPE_")
    ? `the answer is not HTTP/1.1: ${text.replace(/^Parse Error: /, "")}`
    : TLS_FAULTS[code] ?? text;
  return new DownloadError("failed", message, options);
}

/** What becomes of a missing grant on its way through the node API. */
const DENIALS: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);

const TLS_FAULTS: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS",
  // Deno says no more of one that has expired.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "the server's certificate is not in force, or of no authority that is believed",
};

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
