/**
 * What stands before an HTTP/2 server so that it outlives how its clients end.
 *
 * A session of a server that is told GOAWAY, or that loses its socket, while several streams
 * are open can end the process: an assertion or a wild pointer in Deno 2.9.6's nghttp2
 * (denoland/deno#36788). So the server is never told GOAWAY, and loses a connection only
 * when it has no stream any more.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { connect, createServer, type Server, type Socket } from "node:net";
import { rm } from "node:fs/promises";
import { setImmediate } from "node:timers";
import { FRAME, FrameReader, type Http2Frame } from "./http2_frames.ts";

/** A socket path that leads to a server on loopback. */
export class ConnectionRelay implements AsyncDisposable {
  readonly #outer: Server;
  readonly #inner: Server;
  readonly #ways = new Set<Way>();
  #port = 0;

  private constructor(inject: (socket: Socket) => void) {
    this.#inner = createServer({ noDelay: true }, inject);
    this.#outer = createServer({ allowHalfOpen: false }, (client) => {
      // It was on its way when the server was stopped.
      if (!this.#outer.listening) return void client.destroy();
      const way = new Way(client, this.#port);
      this.#ways.add(way);
      void way.ended.then(() => this.#ways.delete(way));
    });
  }

  /** Listens at a path; the server is given a socket for each connection. */
  static async open(
    path: string,
    inject: (socket: Socket) => void,
  ): Promise<ConnectionRelay> {
    const relay = new ConnectionRelay(inject);
    await listening(relay.#inner, { host: "127.0.0.1", port: 0 });
    const address = relay.#inner.address();
    if (address === null || typeof address === "string") {
      throw new Error("Wanted a server that listens on a port");
    }
    relay.#port = address.port;
    await rm(path, { force: true });
    await listening(relay.#outer, { path });
    return relay;
  }

  /** Breaks every connection, and waits until the server has lost them. */
  async cut(): Promise<void> {
    const ways = [...this.#ways];
    for (const way of ways) way.cut();
    await Promise.all(ways.map(({ ended }) => ended));
  }

  /** No longer listens, and breaks every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = closing(this.#outer);
    await this.cut();
    await Promise.all([closed, closing(this.#inner)]);
  }
}

/** One connection: the socket of a client, and one to the server. */
class Way {
  /** When the server has lost the connection. */
  readonly ended: Promise<void>;
  readonly #client: Socket;
  readonly #server: Socket;
  /** The streams that are not known to be over. */
  readonly #streams = new Set<number>();
  #isAnswered = false;

  constructor(client: Socket, port: number) {
    this.#client = client;
    this.#server = connect({ host: "127.0.0.1", port, noDelay: true });
    const gone = Promise.withResolvers<void>();
    const lost = Promise.withResolvers<void>();
    // The other side is gone, which many a test wants it to be.
    client.on("error", () => {});
    client.on("close", () => gone.resolve());
    client.on("end", () => client.destroy());
    this.#server.on("error", () => {});
    this.#server.on("close", () => {
      client.destroy();
      lost.resolve();
    });
    const asked = new FrameReader({ hasPreface: true });
    client.on("data", (piece: Buffer) => {
      const { preface, frames } = asked.read(piece);
      const kept = frames.filter((frame) => this.#isForServer(frame));
      const bytes = [...preface, ...kept.map(({ bytes }) => bytes)];
      pass(bytes, { from: client, to: this.#server });
    });
    const said = new FrameReader({ hasPreface: false });
    this.#server.on("data", (piece: Buffer) => {
      for (const frame of said.read(piece).frames) this.#heard(frame);
      pass([piece], { from: this.#server, to: client });
    });
    this.ended = gone.promise.then(() => this.#leave())
      .then(() => lost.promise);
  }

  cut(): void {
    this.#client.destroy();
  }

  #isForServer({ type, stream }: Http2Frame): boolean {
    if (type === FRAME.headers) this.#streams.add(stream);
    if (type === FRAME.reset) this.#streams.delete(stream);
    return type !== FRAME.goAway;
  }

  #heard({ type, stream, flags, bytes }: Http2Frame): void {
    const isLast = (type === FRAME.headers || type === FRAME.data) &&
      (flags & END_STREAM) !== 0;
    if (isLast || type === FRAME.reset) this.#streams.delete(stream);
    this.#isAnswered ||= type === FRAME.ping && bytes.equals(LAST_ANSWER);
  }

  /** Takes back what the client has asked, and then ends the connection. */
  async #leave(): Promise<void> {
    const server = this.#server;
    for (const stream of this.#streams) server.write(resetOf(stream));
    server.resume();
    // Its answer says that the server has read all before it.
    server.write(LAST_QUESTION);
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      if (this.#isAnswered || server.destroyed) break;
      await new Promise((passed) => setImmediate(passed));
    }
    server.destroy();
  }
}

/** Long after any server has answered that still reads. */
const MOST_TURNS = 10_000;

const END_STREAM = 0x1;

const CANCEL = 8;

/** A ping, and the same as the answer to it. */
const LAST_QUESTION = Buffer.from("0000080600000000006c6173742077ff21", "hex");
const LAST_ANSWER = Buffer.from("0000080601000000006c6173742077ff21", "hex");

function resetOf(stream: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUIntBE(4, 0, 3);
  bytes.writeUInt8(FRAME.reset, 3);
  bytes.writeUInt32BE(stream, 5);
  bytes.writeUInt32BE(CANCEL, 9);
  return bytes;
}

/** A side that does not read holds up the other. */
function pass(
  pieces: readonly Buffer[],
  { from, to }: { readonly from: Socket; readonly to: Socket },
): void {
  if (pieces.length === 0 || to.destroyed) return;
  if (to.write(Buffer.concat(pieces))) return;
  from.pause();
  to.once("drain", () => from.resume());
}

async function listening(
  server: Server,
  at: { readonly path: string } | {
    readonly host: string;
    readonly port: number;
  },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(at, resolve);
  await promise;
}

async function closing(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
}
