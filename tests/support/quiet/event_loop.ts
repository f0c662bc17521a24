/**
 * Turns of the event loop, and the work that goes on beside it.
 *
 * The agent, the fake runtime and every server of a component test are one process and
 * one thread. So whether something is under way is a matter of turns, not of time: what
 * one end of a socket has written, the other reads within a few turns, however busy the
 * machine. Only files are worked on by other threads. Deno numbers those operations and
 * knows which are under way, and this asks it.
 *
 * @module
 */

import { waitingOperations } from "./waiting_operations.ts";

/** What Deno 2.9.6 keeps for itself, as far as it is read here. */
interface Internals {
  readonly promiseIdSymbol: symbol;
  readonly internalRidSymbol: symbol;
  /** Whether the operation of this number is under way. */
  hasPromise(id: number): boolean;
  read(resource: number, bytes: Uint8Array): Promise<number | null>;
  write(resource: number, bytes: Uint8Array): Promise<number>;
}

const internals: Internals = Reflect.get(
  Reflect.get(Deno, Reflect.get(Deno, "internal")),
  "core",
);

/** The number that the next operation has. */
let next = 0;
const underWay = new Set<number>();

/** The event loop of this process, seen through a socket that the process has with itself. */
export class EventLoop implements Disposable {
  readonly #near: Deno.Conn;
  readonly #far: Deno.Conn;
  #begun = 0;

  private constructor(near: Deno.Conn, far: Deno.Conn) {
    this.#near = near;
    this.#far = far;
  }

  /** Looks on from now, through a socket at `path`, where nothing may be yet. */
  static async open(path: string): Promise<EventLoop> {
    using listener = Deno.listen({ transport: "unix", path });
    const [near, far] = await Promise.all([
      Deno.connect({ transport: "unix", path }),
      listener.accept(),
    ]);
    return new EventLoop(near, far);
  }

  /** How many operations were begun that were no turn. */
  get begun(): number {
    return this.#begun;
  }

  /** How many operations are under way that do not wait for somebody else. */
  get working(): number {
    for (const id of underWay) {
      if (!internals.hasPromise(id)) underWay.delete(id);
    }
    return underWay.size - waitingOperations();
  }

  /**
   * Lets the system tell of all input that there is, and runs what this sets off.
   *
   * A turn of timers or of `setImmediate` is no such turn: Deno asks the system only
   * once in 61 of them.
   */
  async turn(): Promise<void> {
    const reading = internals.read(resourceOf(this.#far), INTO);
    const id = operationOf(reading);
    if (id === undefined) throw new Error("Cannot follow the event loop");
    const writing = internals.write(resourceOf(this.#near), BYTE);
    for (let begun = next; begun < id; begun++) {
      if (internals.hasPromise(begun)) underWay.add(begun);
    }
    this.#begun += id - next;
    next = (operationOf(writing) ?? id) + 1;
    await Promise.all([reading, writing]);
  }

  [Symbol.dispose](): void {
    this.#near.close();
    this.#far.close();
  }
}

const BYTE = new Uint8Array(1);
const INTO = new Uint8Array(1);

function resourceOf(connection: Deno.Conn): number {
  return Reflect.get(connection, internals.internalRidSymbol);
}

/** The number of an operation; `undefined` for one that was over at once. */
function operationOf(promise: Promise<unknown>): number | undefined {
  return Reflect.get(promise, internals.promiseIdSymbol);
}
