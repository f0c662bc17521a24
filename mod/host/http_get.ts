/**
 * One HTTP GET to a workload on this node, as hooks and probes need it.
 *
 * Not `fetch`: that refuses ports which browsers hold to be dangerous, cannot leave
 * a certificate unchecked, and hides the headers it adds.
 *
 * @module
 */

import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { type RequestHeaders, requestTarget } from "./http_target.ts";

/** What is sent, and how much of an answer is wanted. */
export interface HttpGetOptions {
  /** Every value of a name is sent, in order; nothing is added but `Host` and `Connection`. */
  readonly headers: RequestHeaders;
  /** Of the answer's body no more is read; the connection is closed then. */
  readonly maxBodyBytes: number;
  /** Cancels the request; without it the system's own limits hold. */
  readonly signal: AbortSignal;
}

/** What came back. */
export interface HttpAnswer {
  readonly status: number;
  /** The header `Location`, as it stands there. */
  readonly location: string | undefined;
  /** At most `maxBodyBytes`. */
  readonly body: Uint8Array;
}

/** TLS was spoken to a server that does not speak it. */
export class NotTlsError extends Error {
  override readonly name = "NotTlsError";
}

/**
 * Asks once: redirects are the caller's to follow, and certificates are not checked,
 * since a workload's are its own.
 *
 * @param url Of scheme `http` or `https`.
 * @throws {NotTlsError} When an `https` server answers in plain text.
 * @throws {Error} When there is no answer, or none may be asked for.
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function httpGet(
  url: URL,
  options: HttpGetOptions,
): Promise<HttpAnswer> {
  const { signal, maxBodyBytes } = options;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const request = send(url, options.headers);
  // Whoever closes without an answer and without an error leaves nothing else to
  // hear of; once there is an answer, that itself says when it ends.
  const closed = (): void =>
    reject(new Error("The connection was closed without an answer"));
  request.on("close", closed);
  request.on("response", (response) => {
    request.off("close", closed);
    collect(response, maxBodyBytes, (body) => {
      resolve(answer(response, body));
    });
  });
  // What nobody asked for is an answer all the same, and it has no body.
  request.on("upgrade", (response, socket) => {
    socket.destroy();
    resolve(answer(response, new Uint8Array()));
  });
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  request.on("error", (error) => reject(explain(error)));
  request.end();
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    request.destroy();
  }
}

function send(
  url: URL,
  headers: HttpGetOptions["headers"],
): ReturnType<typeof requestHttp> {
  const options = requestTarget(url, headers);
  if (url.protocol !== "https:") return requestHttp(options);
  // Without a `ca` the system's own would be read, for which there is no grant.
  const unchecked = { rejectUnauthorized: false, ca: [] };
  return requestHttps({ ...options, ...unchecked });
}

function answer(response: IncomingMessage, body: Uint8Array): HttpAnswer {
  const { statusCode = 0, headers: { location } } = response;
  return { status: statusCode, location, body };
}

/** Reads a body up to a limit; one that breaks off is what there is of it. */
function collect(
  response: IncomingMessage,
  maxBytes: number,
  done: (body: Uint8Array) => void,
): void {
  const body = new Uint8Array(maxBytes);
  let length = 0;
  const finish = (): void => done(body.slice(0, length));
  response.on("data", (chunk: Uint8Array) => {
    const room = chunk.subarray(0, maxBytes - length);
    body.set(room, length);
    length += room.length;
    if (length === maxBytes) finish();
  });
  response.on("end", finish);
  response.on("error", finish);
  response.on("close", finish);
}

/** What OpenSSL calls the first bytes of a server that speaks no TLS. */
const NOT_TLS = "ERR_SSL_WRONG_VERSION_NUMBER";

function explain(error: Error & { readonly code?: string }): Error {
  if (error.code !== NOT_TLS) return error;
  return new NotTlsError("The server does not speak TLS, wanted HTTPS", {
    cause: error,
  });
}
