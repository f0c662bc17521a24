/**
 * TCP connections to workloads, and what a failed one means.
 *
 * @module
 */

import { joinHostPort } from "../../base/text/mod.ts";

/** The address of a server. */
export interface TcpAddress {
  /** An address without brackets, or a name. */
  readonly host: string;
  readonly port: number;
}

/**
 * There is no connection.
 *
 * The message is what operators know from the kubelet, which is what Go says.
 */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  /**
   * `own`: this node has run out of something, so that it proves nothing of the other
   * side. `failed`: the other side, or the way there.
   */
  readonly kind: "own" | "failed";

  constructor(
    kind: ConnectError["kind"],
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * Connects; nothing is left behind when the signal aborts first.
 *
 * @throws {ConnectError} When there is no connection.
 * @throws {Deno.errors.NotCapable} When this process may not connect there.
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function connectTcp(
  address: TcpAddress,
  signal: AbortSignal,
): Promise<Deno.TcpConn> {
  signal.throwIfAborted();
  const { host: hostname, port } = address;
  let connection: Deno.TcpConn;
  try {
    connection = await Deno.connect({ hostname, port, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw explain(address, error);
  }
  if (!signal.aborted) return connection;
  connection.close();
  throw signal.reason;
}

/** Why there is no connection or no answer, in an operator's words; for whatever was thrown. */
export function connectFailure(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) {
    return "the agent may not connect there, wanted an address inside a network given by --pod-network, or the node's own given by --node-ip";
  }
  if (error instanceof AnswerError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}

function explain(address: TcpAddress, error: unknown): ConnectError {
  const text = error instanceof Error ? error.message : String(error);
  const [, what, code] = /^(.*) \(os error (\d+)\)$/s.exec(text) ?? [];
  const why = what === undefined ? text : `connect: ${what.toLowerCase()}`;
  return new ConnectError(
    OWN_FAULTS.has(Number(code)) ? "own" : "failed",
    `dial tcp ${joinHostPort(address)}: ${why}`,
    { cause: error },
  );
}

/** Out of memory, of file descriptors, of buffers, of local ports. */
const OWN_FAULTS: ReadonlySet<number> = new Set([12, 23, 24, 105, 99]);

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

/** There is no answer, or none that can be understood. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  /**
   * What is wrong, without our words around it; of HTTP/1 in those of Go's client,
   * which operators of the kubelet know.
   */
  readonly detail: string;

  constructor(fault: { readonly detail: string }, options?: ErrorOptions) {
    super(`Cannot read the answer: ${fault.detail}`, options);
    this.detail = fault.detail;
  }
}
