/**
 * A store on a disk, from one agent to the next.
 *
 * @module
 */

import type { Random } from "../../../mod/base/mod.ts";
import type { Logger } from "../../../mod/base/telemetry/mod.ts";
import type { LocalStoreOptions } from "../../../mod/local/mod.ts";
import { seededRandom } from "../seeded_random.ts";
import { CrashDisk } from "./crash_disk.ts";
import { LocalRig } from "./local_rig.ts";

/** An agent's store that runs. */
export class KeptRig extends LocalRig implements AsyncDisposable {
  readonly disk: CrashDisk;
  #running: Promise<void> | undefined;

  constructor(
    disk: CrashDisk = new CrashDisk(seededRandom(1)),
    options: LocalStoreOptions & {
      readonly random?: Random;
      readonly log?: Logger;
    } = {},
  ) {
    super({ directory: "/store", ...options, disk });
    this.disk = disk;
  }

  /** Reads what is kept, and runs. */
  async start(): Promise<this> {
    await this.store.load(this.signal);
    this.#running = this.store.run(this.signal);
    return this;
  }

  /** How many changes the disk has seen. */
  get writes(): number {
    return this.disk.changes.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.controller.abort(new DOMException("over", "AbortError"));
    await this.#running;
  }
}

/** The store of an agent on a disk. */
export async function startKept(
  disk?: CrashDisk,
  options?: ConstructorParameters<typeof KeptRig>[1],
): Promise<KeptRig> {
  return await new KeptRig(disk, options).start();
}
