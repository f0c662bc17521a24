/**
 * One HTTP POST to a service on this machine, over a unix socket or TCP.
 *
 * @module
 */

import type { ByteLink } from "./byte_link.ts";
import { openLink, openUnixLink } from "./byte_link.ts";
import { type HttpAnswer, readAnswer } from "./http_answer.ts";
import { addressOf } from "./http_get.ts";

/** Where a question goes: to a URL of scheme `http`, or to a socket. */
export type PostTarget =
  | { readonly kind: "url"; readonly url: URL }
  /** Absolute path of the socket; the service is asked for `/`. */
  | { readonly kind: "socket"; readonly path: string };

/** What is asked, and how much of an answer is wanted. */
export interface HttpPostOptions {
  /** JSON. */
  readonly body: string;
  /** The most bytes of the answer's body; then the connection is closed. */
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Asks once; a redirect is the answer.
 *
 * @throws {ConnectError} When there is no connection.
 * @throws {Deno.errors.NotCapable} When this process may not connect there.
 * @throws {AnswerError} When there is no answer.
 * @throws {unknown} The reason of the signal when it aborts before the answer's body.
 */
export async function httpPost(
  target: PostTarget,
  options: HttpPostOptions,
): Promise<HttpAnswer> {
  const { signal } = options;
  const body = new TextEncoder().encode(options.body);
  using link = await openTarget(target, signal);
  const { path, host } = target.kind === "url"
    ? {
      path: `${target.url.pathname}${target.url.search}`,
      host: target.url.host,
    }
    : { path: "/", host: "localhost" };
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Accept: application/json",
    "Connection: close",
  ];
  await link.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`));
  await link.write(body);
  const { closes: _closes, ...answer } = await readAnswer(link, options);
  return answer;
}

async function openTarget(
  target: PostTarget,
  signal: AbortSignal,
): Promise<ByteLink> {
  return target.kind === "url"
    ? await openLink(addressOf(target.url), signal)
    : await openUnixLink(target.path, signal);
}
