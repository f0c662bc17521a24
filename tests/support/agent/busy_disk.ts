/**
 * A disk that is busy with other things.
 *
 * @module
 */

import type { CoreRig } from "./core_rig.ts";

/** A disk that does not say that anything is durable until it is let go. */
export class BusyDisk implements AsyncDisposable {
  readonly #rig: CoreRig;
  readonly #sync = Deno.FsFile.prototype.sync;
  readonly #gate = Promise.withResolvers<void>();
  /** How often it was asked. */
  asked = 0;

  /** @param rig the agent that works with it */
  constructor(rig: CoreRig) {
    this.#rig = rig;
    const wait = async (): Promise<void> => {
      this.asked++;
      await this.#gate.promise;
    };
    Deno.FsFile.prototype.sync = wait;
  }

  /** Lets it go, and waits for what was held up: nobody else does who has given it up. */
  async [Symbol.asyncDispose](): Promise<void> {
    Deno.FsFile.prototype.sync = this.#sync;
    this.#gate.resolve();
    await this.#rig.quiet();
  }
}
