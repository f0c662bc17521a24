/**
 * An HTTP listener on a unix socket that is never open to others.
 *
 * @module
 */

import { unlessMissing } from "../host/paths/mod.ts";
import type { ConnectionDeps } from "./http_connection.ts";
import { HttpListener } from "./http_listener.ts";

/** Another process listens on the socket. */
export class UnixListenError extends Error {
  override readonly name = "UnixListenError";

  /** Names the socket that is taken. */
  constructor(path: string) {
    super(
      `Cannot listen on "${path}": another process answers there, wanted a socket of our own`,
    );
  }
}

/** Where the socket is, and where it is made. */
export interface UnixListenOptions {
  readonly path: string;
  /** The name under which the socket is made before it is shown. */
  readonly stagingPath: string;
}

/** Serves HTTP on a socket of mode 0600 until it is disposed. */
export class UnixListener implements AsyncDisposable {
  readonly #path: string;
  readonly #listener: HttpListener;
  readonly #inode: number | null;

  private constructor(
    path: string,
    listener: HttpListener,
    inode: number | null,
  ) {
    this.#path = path;
    this.#listener = listener;
    this.#inode = inode;
  }

  /**
   * Binds under the staging name, closes it to others, then shows it.
   *
   * @throws {UnixListenError} When another process listens there.
   */
  static async start(
    options: UnixListenOptions,
    deps: ConnectionDeps,
  ): Promise<UnixListener> {
    const { path, stagingPath } = options;
    if (await isAnswered(path)) throw new UnixListenError(path);
    await unlessMissing(Deno.remove(stagingPath));
    const socket = Deno.listen({ transport: "unix", path: stagingPath });
    try {
      await Deno.chmod(stagingPath, 0o600);
      // Takes the place of a dead agent's socket in one step.
      await Deno.rename(stagingPath, path);
      const { ino } = await Deno.lstat(path);
      const listener = new HttpListener(socket, deps);
      return new UnixListener(path, listener, ino);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /** Whether clients can still find the socket. */
  async isShown(): Promise<boolean> {
    return await unlessMissing(Deno.lstat(this.#path)) !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]();
    // A successor may have put its own socket there already.
    const info = await unlessMissing(Deno.lstat(this.#path));
    if (info !== undefined && info.ino === this.#inode) {
      await unlessMissing(Deno.remove(this.#path));
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
