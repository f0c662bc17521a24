/**
 * Bytes to a workload and back, in the clear or over TLS.
 *
 * @module
 */

import { connect as connectTls, type TLSSocket } from "node:tls";
import { Bell, unlessAborted } from "../../base/mod.ts";
import {
  ConnectError,
  connectTcp,
  explainSocket,
  type SocketCall,
  type SocketFault,
  SYSTEM_WORDS,
  type TcpAddress,
} from "./tcp_connect.ts";

/** One connection; disposing it closes it, whatever is under way. */
export interface ByteLink extends Disposable {
  /**
   * Reads what there is, but at least one byte; 0 at the end.
   *
   * One reader at a time.
   */
  read(into: Uint8Array): Promise<number>;
  /** Writes all of it. */
  write(bytes: Uint8Array): Promise<void>;
}

/** TLS was spoken to a server that does not speak it. */
export class NotTlsError extends Error {
  override readonly name = "NotTlsError";
}

/**
 * Connects in the clear. Aborting the signal closes the connection.
 *
 * @throws {ConnectError} When there is no connection.
 * @throws {Deno.errors.NotCapable} When this process may not connect there.
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function openLink(
  address: TcpAddress,
  signal: AbortSignal,
): Promise<ByteLink> {
  const connection = await connectTcp(address, signal);
  return linkOver(connection, {
    explain: (error, call) =>
      error instanceof Error ? explainSocket(error, address, call) : error,
    signal,
  });
}

/**
 * Connects to a unix socket. Aborting the signal closes the connection.
 *
 * @throws {ConnectError} When there is no connection.
 * @throws {Deno.errors.NotCapable} When this process may not connect there.
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function openUnixLink(
  path: string,
  signal: AbortSignal,
): Promise<ByteLink> {
  signal.throwIfAborted();
  const connecting = Deno.connect({ transport: "unix", path });
  try {
    const connection = await unlessAborted(connecting, signal);
    return linkOver(connection, { explain: (error) => error, signal });
  } catch (error) {
    // One that comes too late is nobody's.
    connecting.then((late) => late.close(), () => {});
    signal.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new ConnectError("failed", `dial unix ${path}: ${error.message}`, {
      cause: error,
    });
  }
}

function linkOver(
  connection: Deno.Conn,
  options: {
    /** Puts a failure into an operator's words. */
    readonly explain: (error: unknown, call: SocketCall) => unknown;
    readonly signal: AbortSignal;
  },
): ByteLink {
  const { explain, signal } = options;
  let isOpen = true;
  const close = (): void => {
    signal.removeEventListener("abort", close);
    if (!isOpen) return;
    isOpen = false;
    connection.close();
  };
  signal.addEventListener("abort", close, { once: true });
  return {
    async read(into) {
      try {
        return await connection.read(into) ?? 0;
      } catch (error) {
        signal.throwIfAborted();
        throw explain(error, "read");
      }
    },
    async write(bytes) {
      try {
        for (let rest = bytes; rest.length > 0;) {
          rest = rest.subarray(await connection.write(rest));
        }
      } catch (error) {
        signal.throwIfAborted();
        throw explain(error, "write");
      }
    },
    [Symbol.dispose]: close,
  };
}

/**
 * Connects over TLS and believes any certificate: a workload's is its own.
 *
 * Not `Deno.connectTls`, which cannot leave a certificate unchecked.
 *
 * @throws {ConnectError} When there is no connection.
 * @throws {Deno.errors.NotCapable} When this process may not connect there.
 * @throws {NotTlsError} When the server answers in plain text.
 * @throws {Error} When the two sides cannot agree.
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function openTlsLink(
  address: TcpAddress,
  signal: AbortSignal,
): Promise<ByteLink> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connectTls({
    ...address,
    rejectUnauthorized: false,
    // Without them the system's own would be read, for which there is no grant.
    ca: [],
  });
  const link = new TlsLink(socket, address, signal);
  socket.once("secureConnect", resolve);
  socket.once("error", (error) => reject(explainTls(error, address)));
  socket.once("close", () => reject(new Error("EOF")));
  try {
    await promise;
    signal.throwIfAborted();
    return link;
  } catch (error) {
    link[Symbol.dispose]();
    signal.throwIfAborted();
    throw error;
  }
}

class TlsLink implements ByteLink {
  readonly #socket: TLSSocket;
  readonly #signal: AbortSignal;
  readonly #close = (): void => this[Symbol.dispose]();
  #failure: Error | undefined;
  #isOver = false;
  /** Read and not yet handed out. */
  #rest: Uint8Array = new Uint8Array();
  readonly #bell = new Bell();

  constructor(socket: TLSSocket, address: TcpAddress, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    signal.addEventListener("abort", this.#close, { once: true });
    const over = (): void => {
      this.#isOver = true;
      this.#bell.ring();
    };
    socket.on("error", (error) => {
      this.#failure ??= explainTls(error, address);
      over();
    });
    socket.on("end", over);
    socket.on("close", over);
    socket.on("readable", () => this.#bell.ring());
  }

  async read(into: Uint8Array): Promise<number> {
    while (this.#rest.length === 0) {
      const chunk: Uint8Array | null = this.#socket.read();
      if (chunk !== null) {
        this.#rest = chunk;
        continue;
      }
      this.#signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isOver) return 0;
      await this.#bell.wait(this.#signal);
    }
    const taken = this.#rest.subarray(0, into.length);
    into.set(taken);
    this.#rest = this.#rest.subarray(taken.length);
    return taken.length;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#socket.once("close", resolve);
    this.#socket.write(bytes, (error) => error ? reject(error) : resolve());
    await promise;
    this.#signal.throwIfAborted();
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener("abort", this.#close);
    this.#socket.destroy();
  }
}

/** What OpenSSL calls the first bytes of a server that speaks no TLS. */
const NOT_TLS = "ERR_SSL_WRONG_VERSION_NUMBER";

function explainTls(error: SocketFault, address: TcpAddress): Error {
  const { code = "", syscall } = error;
  if (code === NOT_TLS) {
    return new NotTlsError("The server does not speak TLS, wanted HTTPS", {
      cause: error,
    });
  }
  if (!SYSTEM_WORDS.has(code)) return error;
  const isBroken = syscall !== "connect" &&
    (code === "ECONNRESET" || code === "EPIPE");
  if (!isBroken) return explainSocket(error, address, "connect");
  const isWrite = syscall === "write" || code === "EPIPE";
  return explainSocket(error, address, isWrite ? "write" : "read");
}
