/**
 * An HTTP listener on a unix socket that is never open to others.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";

/**
 * How long answers may take to end once the listener closes: a client that does not
 * read must not keep the agent from stopping.
 */
const CLOSE_MS = 1_000;

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
  readonly clock: Clock;
}

/** Serves HTTP on a socket of mode 0600 until it is disposed. */
export class UnixListener implements AsyncDisposable {
  readonly #options: UnixListenOptions;
  readonly #running: Running;
  readonly #inode: number | null;

  private constructor(
    options: UnixListenOptions,
    running: Running,
    inode: number | null,
  ) {
    this.#options = options;
    this.#running = running;
    this.#inode = inode;
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
    const running = serve(stagingPath, handler);
    try {
      await Deno.chmod(stagingPath, 0o600);
      // Takes the place of a dead agent's socket in one step.
      await Deno.rename(stagingPath, path);
      const { ino } = await Deno.lstat(path);
      return new UnixListener(options, running, ino);
    } catch (error) {
      await close(running, options.clock);
      throw error;
    }
  }

  /** Whether clients can still find the socket. */
  async isShown(): Promise<boolean> {
    return await lstatIfThere(this.#options.path) !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { path, clock } = this.#options;
    await close(this.#running, clock);
    // A successor may have put its own socket there already.
    const info = await lstatIfThere(path);
    if (info !== undefined && info.ino === this.#inode) {
      await removeIfThere(path);
    }
  }
}

interface Running {
  readonly server: Deno.HttpServer;
  /** Tells the handlers that they are to end. */
  readonly closing: AbortController;
  /** Cuts every connection. */
  readonly cut: AbortController;
  /** The answers that are not delivered yet. */
  readonly open: ReadonlySet<Promise<void>>;
}

function serve(path: string, handler: RequestHandler): Running {
  const closing = new AbortController();
  const cut = new AbortController();
  const open = new Set<Promise<void>>();
  const server = Deno.serve(
    // Announcing the address is for people who start servers by hand.
    { path, onListen: () => {}, signal: cut.signal },
    (request, info) => {
      const delivered: Promise<void> = info.completed
        // That the client has left is an end like any other.
        .catch(() => {})
        .finally(() => open.delete(delivered));
      open.add(delivered);
      return handler(request, closing.signal);
    },
  );
  return { server, closing, cut, open };
}

/** Lets answers end by themselves for a while, then cuts what is left. */
async function close(running: Running, clock: Clock): Promise<void> {
  const { server, closing, cut, open } = running;
  closing.abort();
  const { promise, resolve } = Promise.withResolvers<void>();
  using _limit = clock.after(CLOSE_MS, resolve);
  await Promise.race([Promise.all(open), promise]);
  // The server's own way to end waits for clients that do not read.
  cut.abort();
  await server.finished;
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
