/**
 * A TCP server that says exactly what a test wants said.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createServer, type Socket } from "node:net";

/** One side of a connection, as the talk of a test uses it. */
export interface RawConnection {
  /** Reads what there is; `null` when the other side has said all. */
  read(room: Uint8Array): Promise<number | null>;
  /** @returns how many bytes were written */
  write(bytes: Uint8Array): Promise<number>;
  /** Says that this was all. */
  closeWrite(): Promise<void>;
  /** Breaks it off, so that the other side's calls fail. */
  reset(): Promise<void>;
}

/** What a server does with each connection; when it ends, the connection is closed. */
export type Talk = (connection: RawConnection) => Promise<void>;

/** Listens on loopback as long as its block lives. */
export interface TcpServer extends AsyncDisposable {
  readonly port: number;
  /** How many connections there have been. */
  readonly count: number;
}

/** Serves each connection by `talk`; when that ends, the connection is closed. */
export async function serveRaw(
  talk: Talk,
  hostname: string = "127.0.0.1",
): Promise<TcpServer> {
  const open = new Set<Socket>();
  const talks: Promise<void>[] = [];
  let count = 0;
  const one = async (socket: Socket): Promise<void> => {
    try {
      await talk(connectionOf(socket));
    } catch {
      // The other side is gone, which many a test wants it to be.
    } finally {
      socket.destroySoon();
    }
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    count++;
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    talks.push(one(socket));
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(0, hostname, () => listening.resolve());
  await listening.promise;
  const address = server.address();
  if (typeof address !== "object" || address === null) {
    throw new Error("Wanted a server that listens on a port");
  }
  return {
    port: address.port,
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      for (const socket of open) socket.destroy();
      await closed.promise;
      await Promise.all(talks);
    },
  };
}

function connectionOf(socket: Socket): RawConnection {
  return {
    async read(room) {
      while (!socket.destroyed && !socket.readableEnded) {
        const size = Math.min(room.length, socket.readableLength);
        const chunk: unknown = size > 0 ? socket.read(size) : socket.read();
        if (chunk instanceof Uint8Array) {
          room.set(chunk);
          return chunk.length;
        }
        await moved(socket);
      }
      if (socket.errored !== null) throw socket.errored;
      return null;
    },
    async write(bytes) {
      const done = Promise.withResolvers<number>();
      socket.write(bytes, (error) => {
        if (error) done.reject(error);
        else done.resolve(bytes.length);
      });
      return await done.promise;
    },
    async closeWrite() {
      const done = Promise.withResolvers<void>();
      socket.end(() => done.resolve());
      await done.promise;
    },
    // deno-lint-ignore require-await -- a talk may end with it
    async reset() {
      socket.resetAndDestroy();
    },
  };
}

/** Waits until there may be something to read, or nothing any more. */
async function moved(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ["readable", "end", "close"] as const;
  const wake = (): void => resolve();
  for (const event of events) socket.once(event, wake);
  await promise;
  for (const event of events) socket.off(event, wake);
}

/** Reads until the other side has closed. */
export async function drain(connection: RawConnection): Promise<void> {
  const room = new Uint8Array(4096);
  for (let reads = 0; reads < 10_000; reads++) {
    if (await connection.read(room) === null) return;
  }
}

/** Reads the head of an HTTP/1 request. */
export async function readRequest(connection: RawConnection): Promise<string> {
  const room = new Uint8Array(65_536);
  let length = 0;
  const decoder = new TextDecoder();
  for (let reads = 0; reads < 1000; reads++) {
    const read = await connection.read(room.subarray(length));
    if (read === null) break;
    length += read;
    const text = decoder.decode(room.subarray(0, length));
    if (text.includes("\r\n\r\n")) return text;
  }
  throw new Error("there is no request");
}

/** Says it all. */
export async function say(
  connection: RawConnection,
  what: string | Uint8Array,
): Promise<void> {
  let rest = typeof what === "string" ? new TextEncoder().encode(what) : what;
  while (rest.length > 0) rest = rest.subarray(await connection.write(rest));
}

/** Says it all and that this was all, one byte a character, and waits for the other side. */
export async function sayLast(
  connection: RawConnection,
  what: string | Uint8Array,
): Promise<void> {
  await say(
    connection,
    typeof what === "string" ? Buffer.from(what, "latin1") : what,
  );
  await connection.closeWrite();
  await drain(connection);
}
