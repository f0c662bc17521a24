/**
 * An HTTP server that no client can hold up or make grow.
 *
 * @module
 */

import { type ConnectionDeps, HttpConnection } from "./http_connection.ts";

/**
 * How long answers may take to end once the listener closes: a client that does not
 * read must not keep the agent from stopping.
 */
const CLOSE_MS = 1_000;

/** Every connection costs a descriptor, of which a process has 1024 by default. */
const MAX_CONNECTIONS = 64;

/** Before connections are taken again after the system refused one. */
const ACCEPT_PAUSE_MS = 1_000;

/**
 * Answers one question a connection, at most {@linkcode MAX_CONNECTIONS} at once.
 *
 * When there are more, the connection that has waited longest without a question is
 * cut; when all have asked, the new one is.
 */
export class HttpListener implements AsyncDisposable {
  readonly #listener: Deno.Listener;
  readonly #deps: ConnectionDeps;
  readonly #closing = new AbortController();
  /** Oldest first. */
  readonly #open = new Map<HttpConnection, Promise<void>>();
  readonly #accepting: Promise<void>;
  #closed: Promise<void> | undefined;

  /** Takes over the listener and answers at once. */
  constructor(listener: Deno.Listener, deps: ConnectionDeps) {
    this.#listener = listener;
    this.#deps = deps;
    this.#accepting = this.#accept();
  }

  /** Lets answers end by themselves for a while, then cuts what is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#listener.close();
    await this.#accepting;
    for (const connection of this.#open.keys()) {
      if (connection.isAsking) connection.cut();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    using _limit = this.#deps.clock.after(CLOSE_MS, resolve);
    await Promise.race([Promise.all(this.#open.values()), promise]);
    // A handler that hangs is not waited for: its client is gone.
    for (const connection of this.#open.keys()) connection.cut();
  }

  async #accept(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        this.#serve(await this.#listener.accept());
      } catch (error) {
        if (signal.aborted) return;
        // Out of descriptors, for example: what comes meanwhile waits its turn.
        const { clock, log } = this.#deps;
        log.warn("accept_failed", { error });
        await clock.sleep(ACCEPT_PAUSE_MS, signal).catch(() => {});
      }
    }
  }

  #serve(socket: Deno.Conn): void {
    const connection = new HttpConnection(socket, this.#deps);
    if (this.#open.size >= MAX_CONNECTIONS && !this.#cutOneAsking()) {
      return connection.cut();
    }
    const done = connection.run(this.#closing.signal).then(() => {
      this.#open.delete(connection);
    });
    this.#open.set(connection, done);
  }

  #cutOneAsking(): boolean {
    for (const connection of this.#open.keys()) {
      if (!connection.isAsking) continue;
      connection.cut();
      this.#open.delete(connection);
      return true;
    }
    return false;
  }
}
