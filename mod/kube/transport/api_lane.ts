/**
 * One connection to an API server and what goes over it.
 *
 * @module
 */

import type { CallLimit } from "./call_limit.ts";
import type { ApiConnection } from "./ports.ts";
import type { Vigil } from "./vigil.ts";

/** A connection in use; retired, it closes when nothing uses it any more. */
export class ApiLane {
  readonly connection: ApiConnection;
  readonly vigil: Vigil;
  readonly #streams = new Set<CallLimit>();
  #users = 0;
  #state: "used" | "retired" | "closed" = "used";

  constructor(connection: ApiConnection, vigil: Vigil) {
    this.connection = connection;
    this.vigil = vigil;
  }

  /** How many streams are open. */
  get streams(): number {
    return this.#streams.size;
  }

  /** The connection stays open until the result is disposed. */
  use(): Disposable {
    this.#users++;
    let isUsed = true;
    return {
      [Symbol.dispose]: () => {
        if (!isUsed) return;
        isUsed = false;
        this.#users--;
        this.#closeUnused();
      },
    };
  }

  /** The same for a stream, which ends when the lane is retired. */
  join(limit: CallLimit): Disposable {
    const used = this.use();
    const watched = this.vigil.watchOver();
    this.#streams.add(limit);
    return {
      [Symbol.dispose]: () => {
        this.#streams.delete(limit);
        watched[Symbol.dispose]();
        used[Symbol.dispose]();
      },
    };
  }

  /** Ends all streams for a reason; calls that are under way go on. */
  retire(reason: unknown): void {
    if (this.#state !== "used") return;
    this.#state = "retired";
    this.vigil[Symbol.dispose]();
    for (const stream of this.#streams) stream.end(reason);
    this.#closeUnused();
  }

  #closeUnused(): void {
    if (this.#state !== "retired" || this.#users > 0) return;
    this.#state = "closed";
    this.connection[Symbol.dispose]();
  }
}
