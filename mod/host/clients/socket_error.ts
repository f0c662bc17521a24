/**
 * What went wrong with a socket of the node API, in an operator's words.
 *
 * @module
 */

import { joinHostPort } from "../../base/text/mod.ts";
import { ConnectError, type TcpAddress } from "./tcp_connect.ts";

/** What the node API says of a failure besides a message of its own. */
export interface SocketFault extends Error {
  readonly code?: string;
  readonly syscall?: string;
}

/**
 * The failure as Go would tell it: a `ConnectError` when there is no connection. What
 * has no code is left as it is.
 */
export function explainSocket(
  error: SocketFault,
  address: TcpAddress,
): Error {
  if (error instanceof Deno.errors.NotCapable) return error;
  const { code = "", syscall } = error;
  const place = joinHostPort(address);
  const broken = BREAKS.get(code);
  if (broken !== undefined && syscall !== "connect") {
    const doing = syscall === "write" || code === "EPIPE" ? "write" : "read";
    return new Error(`${doing} tcp ${place}: ${doing}: ${broken}`, {
      cause: error,
    });
  }
  const known = FAILURES.get(code);
  if (known === undefined) return error;
  const [kind, why] = known;
  return new ConnectError(kind, `dial tcp ${place}: connect: ${why}`, {
    cause: error,
  });
}

/** What Go calls the failures that the node API only has codes for. */
const FAILURES: ReadonlyMap<string, readonly [ConnectError["kind"], string]> =
  new Map([
    ["ECONNREFUSED", ["failed", "connection refused"]],
    ["ECONNRESET", ["failed", "connection reset by peer"]],
    ["EHOSTUNREACH", ["failed", "no route to host"]],
    ["ENETUNREACH", ["failed", "network is unreachable"]],
    ["ETIMEDOUT", ["failed", "connection timed out"]],
    ["EADDRNOTAVAIL", ["own", "cannot assign requested address"]],
    ["EMFILE", ["own", "too many open files"]],
    ["ENFILE", ["own", "too many open files in system"]],
    ["ENOBUFS", ["own", "no buffer space available"]],
    ["ENOMEM", ["own", "cannot allocate memory"]],
  ]);

/** How a connection ends that there was. */
const BREAKS: ReadonlyMap<string, string> = new Map([
  ["ECONNRESET", "connection reset by peer"],
  ["EPIPE", "broken pipe"],
]);
