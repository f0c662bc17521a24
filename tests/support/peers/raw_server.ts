/**
 * A TCP server that says exactly what a test wants said.
 *
 * @module
 */

/** Listens on loopback as long as its block lives. */
export interface TcpServer extends AsyncDisposable {
  readonly port: number;
  /** How many connections there have been. */
  readonly count: number;
}

/** Serves each connection by `talk`; when that ends, the connection is closed. */
export function serveRaw(
  talk: (connection: Deno.TcpConn) => Promise<void>,
  hostname: string = "127.0.0.1",
): TcpServer {
  const listener = Deno.listen({ hostname, port: 0 });
  const open = new Set<Deno.TcpConn>();
  const talks: Promise<void>[] = [];
  let count = 0;
  const one = async (connection: Deno.TcpConn): Promise<void> => {
    try {
      await talk(connection);
    } catch {
      // The other side is gone, which many a test wants it to be.
    } finally {
      close(connection);
      open.delete(connection);
    }
  };
  const accepting = (async () => {
    for await (const connection of listener) {
      count++;
      open.add(connection);
      talks.push(one(connection));
    }
  })();
  return {
    port: listener.addr.port,
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const connection of open) close(connection);
      await Promise.all(talks);
    },
  };
}

/** Reads until the other side has closed. */
export async function drain(connection: Deno.TcpConn): Promise<void> {
  const room = new Uint8Array(4096);
  for (let reads = 0; reads < 10_000; reads++) {
    if (await connection.read(room) === null) return;
  }
}

/** Reads the head of an HTTP/1 request. */
export async function readRequest(connection: Deno.TcpConn): Promise<string> {
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
  connection: Deno.TcpConn,
  what: string | Uint8Array,
): Promise<void> {
  let rest = typeof what === "string" ? new TextEncoder().encode(what) : what;
  while (rest.length > 0) rest = rest.subarray(await connection.write(rest));
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}
