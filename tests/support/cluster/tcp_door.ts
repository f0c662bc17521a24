/**
 * What stands before a server: it can hold back what is said, and break connections.
 *
 * @module
 */

import { connect, createServer, type Server, type Socket } from "node:net";

/** A port of loopback that leads to another one. */
export class TcpDoor implements AsyncDisposable {
  readonly #inner: number;
  readonly #outer: Server;
  readonly #pairs: Set<readonly [Socket, Socket]> = new Set();
  #isFrozen = false;
  #port = 0;

  private constructor(inner: number) {
    this.#inner = inner;
    this.#outer = createServer((socket) => this.#lead(socket));
  }

  /** Opens a port, 0 for a free one, to the port of a server. */
  static async open(inner: number, port: number): Promise<TcpDoor> {
    const door = new TcpDoor(inner);
    const { promise, resolve } = Promise.withResolvers<void>();
    door.#outer.listen(port, "127.0.0.1", resolve);
    await promise;
    const address = door.#outer.address();
    if (address === null || typeof address === "string") {
      throw new Error("Wanted a door that listens on a port");
    }
    door.#port = address.port;
    return door;
  }

  get port(): number {
    return this.#port;
  }

  /** Nothing comes through any more, in neither direction; connections stay. */
  freeze(): void {
    this.#isFrozen = true;
    for (const [one, other] of this.#pairs) {
      one.unpipe(other);
      other.unpipe(one);
    }
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Ends all connections, and refuses new ones until `reopen`. */
  async shut(): Promise<void> {
    if (!this.#outer.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#outer.close(() => resolve());
    this.cutAll();
    await promise;
  }

  /** Listens again where it did. */
  async reopen(): Promise<void> {
    if (this.#outer.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#outer.listen(this.#port, "127.0.0.1", resolve);
    await promise;
  }

  /** What was held back comes through. */
  thaw(): void {
    this.#isFrozen = false;
    for (const pair of this.#pairs) join(pair);
  }

  /** Ends all connections. */
  cutAll(): void {
    for (const [one, other] of this.#pairs) {
      one.destroy();
      other.destroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shut();
  }

  #lead(socket: Socket): void {
    // It was on its way when the door was shut.
    if (!this.#outer.listening) return void socket.destroy();
    const inner = connect(this.#inner, "127.0.0.1");
    const pair = [socket, inner] as const;
    this.#pairs.add(pair);
    for (const each of pair) {
      // The other side is gone, which many a test wants it to be.
      each.on("error", () => {});
      each.on("close", () => {
        this.#pairs.delete(pair);
        for (const one of pair) one.destroy();
      });
    }
    if (!this.#isFrozen) join(pair);
  }
}

function join([one, other]: readonly [Socket, Socket]): void {
  one.pipe(other);
  other.pipe(one);
}
