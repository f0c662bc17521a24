/**
 * An HTTP listener on a unix socket that is never open to others.
 *
 * @module
 */

/** Another process listens on the socket. */
export class UnixListenError extends Error {
  override readonly name = "UnixListenError";
  /** The path of the socket. */
  readonly path: string;

  /** Names the socket that is taken. */
  constructor(path: string) {
    super(
      `Cannot listen on "${path}": another process answers there, wanted a socket of our own`,
    );
    this.path = path;
  }
}

/** Answers one request; `signal` aborts when the listener closes. */
export type RequestHandler = (
  request: Request,
  signal: AbortSignal,
) => Promise<Response>;

/** Where the socket is, and where it is made. */
export interface UnixListenOptions {
  readonly path: string;
  readonly stagingPath: string;
}

/** Serves HTTP on a socket of mode 0600 until it is disposed. */
export class UnixListener implements AsyncDisposable {
  readonly #path: string;
  readonly #server: Deno.HttpServer;
  readonly #closing: AbortController;
  readonly #inode: number | null;

  private constructor(
    path: string,
    running: {
      readonly server: Deno.HttpServer;
      readonly closing: AbortController;
      readonly inode: number | null;
    },
  ) {
    this.#path = path;
    this.#server = running.server;
    this.#closing = running.closing;
    this.#inode = running.inode;
  }

  /**
   * Binds under the staging name, closes it to others, then shows it.
   *
   * @throws {UnixListenError} When another process listens there.
   */
  static async start(
    options: UnixListenOptions,
    handler: RequestHandler,
  ): Promise<UnixListener> {
    const { path, stagingPath } = options;
    if (await isAnswered(path)) throw new UnixListenError(path);
    await removeIfThere(stagingPath);
    const closing = new AbortController();
    const server = Deno.serve(
      // Announcing the address is for people who start servers by hand.
      { path: stagingPath, onListen: () => {} },
      (request) => handler(request, closing.signal),
    );
    try {
      await Deno.chmod(stagingPath, 0o600);
      // Takes the place of a dead agent's socket in one step.
      await Deno.rename(stagingPath, path);
      const { ino } = await Deno.lstat(path);
      return new UnixListener(path, { server, closing, inode: ino });
    } catch (error) {
      await server.shutdown();
      throw error;
    }
  }

  /** Whether clients can still find the socket. */
  async isShown(): Promise<boolean> {
    return await lstatIfThere(this.#path) !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#server.shutdown();
    // A successor may have put its own socket there already.
    const info = await lstatIfThere(this.#path);
    if (info !== undefined && info.ino === this.#inode) {
      await removeIfThere(this.#path);
    }
  }
}

async function isAnswered(path: string): Promise<boolean> {
  try {
    const connection = await Deno.connect({ transport: "unix", path });
    connection.close();
    return true;
  } catch (error) {
    const isFree = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.ConnectionRefused;
    if (isFree) return false;
    throw error;
  }
}

async function lstatIfThere(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
