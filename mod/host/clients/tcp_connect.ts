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
    const isOurs = error instanceof Error &&
      !(error instanceof Deno.errors.NotCapable);
    throw isOurs ? explainSocket(error, address, "connect") : error;
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

/**
 * Whether a failed connection proves nothing of the other side: the agent may not connect
 * there, or its node has run out of ports, descriptors or memory. The kubelet restarts
 * containers for the latter.
 */
export function isOwnFault(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable ||
    (error instanceof ConnectError && error.kind === "own");
}

/** A failure of a socket; `code` is missing when no system call failed, as for a name. */
export interface SocketFault extends Error {
  readonly code?: string;
  readonly syscall?: string;
}

/** What was under way when a socket failed. */
export type SocketCall = "connect" | "read" | "write";

/** The failure in Go's words: a `ConnectError` when there is no connection. */
export function explainSocket(
  error: SocketFault,
  address: TcpAddress,
  call: SocketCall,
): Error {
  const { code = "", message } = error;
  const place = joinHostPort(address);
  const said = /^(.*) \(os error \d+\)$/s.exec(message)?.[1];
  const words = SYSTEM_WORDS.get(code) ?? said?.toLowerCase();
  if (call !== "connect") {
    const what = words ?? message.toLowerCase();
    return new Error(`${call} tcp ${place}: ${call}: ${what}`, {
      cause: error,
    });
  }
  const why = words === undefined ? message : `connect: ${words}`;
  const kind = OWN_FAULTS.has(code) ? "own" : "failed";
  return new ConnectError(kind, `dial tcp ${place}: ${why}`, { cause: error });
}

/** What Go calls the failures that the node API only has codes for. */
export const SYSTEM_WORDS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ECONNRESET", "connection reset by peer"],
  ["EPIPE", "broken pipe"],
  ["EHOSTUNREACH", "no route to host"],
  ["ENETUNREACH", "network is unreachable"],
  ["ETIMEDOUT", "connection timed out"],
  ["EADDRNOTAVAIL", "cannot assign requested address"],
  ["EMFILE", "too many open files"],
  ["ENFILE", "too many open files in system"],
  ["ENOBUFS", "no buffer space available"],
  ["ENOMEM", "cannot allocate memory"],
]);

/** This node has run out of something. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  ...["EADDRNOTAVAIL", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"],
]);

/** There is no answer, or none that can be understood. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  /**
   * What is wrong, without our words around it; of HTTP/1 in those of Go's client,
   * which operators of the kubelet know.
   */
  readonly detail: string;

  constructor(detail: string, options?: ErrorOptions) {
    super(`Cannot read the answer: ${detail}`, options);
    this.detail = detail;
  }
}

/** The fault of an answer, to be thrown. */
export function badAnswer(detail: string, options?: ErrorOptions): AnswerError {
  return new AnswerError(detail, options);
}
