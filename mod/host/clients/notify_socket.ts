/**
 * Telling the service manager how this process is, as sd_notify does.
 *
 * @module
 */

/** Where a message goes and where it comes from; both are absolute paths. */
export interface NotifyPaths {
  /** The service manager's socket. */
  readonly socket: string;
  /** A name for this end, in a directory that nobody else may write to. */
  readonly own: string;
}

/**
 * A datagram socket to the service manager.
 *
 * Deno's socket has to be bound to a name before it can send; an abstract name is not
 * possible. The kernel adds the sender's process id, which the service manager checks.
 */
export class NotifySocket implements Disposable {
  readonly #paths: NotifyPaths;
  readonly #connection: Deno.DatagramConn;

  private constructor(paths: NotifyPaths, connection: Deno.DatagramConn) {
    this.#paths = paths;
    this.#connection = connection;
  }

  /**
   * Binds the own end; a file that an earlier process left there goes.
   *
   * @throws {Error} when it cannot be bound
   */
  static open(paths: NotifyPaths): NotifySocket {
    removeIfThere(paths.own);
    const connection = Deno.listenDatagram({
      transport: "unixpacket",
      path: paths.own,
    });
    return new NotifySocket(paths, connection);
  }

  /**
   * Sends one message of `KEY=value` lines. Waits as long as the other end reads nothing,
   * even after this socket was closed.
   *
   * @throws {Error} when nobody is there
   */
  async send(lines: readonly string[]): Promise<void> {
    await this.#connection.send(new TextEncoder().encode(lines.join("\n")), {
      transport: "unixpacket",
      path: this.#paths.socket,
    });
  }

  /** Closes the socket and removes its name. */
  [Symbol.dispose](): void {
    this.#connection.close();
    removeIfThere(this.#paths.own);
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
