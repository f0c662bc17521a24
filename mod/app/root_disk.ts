/**
 * Whether the disk of the root directory takes files.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { HeldRootLock } from "../host/files/mod.ts";

/** A disk that breaks, or is mounted anew, is seen this soon; a look writes nothing. */
const LOOK_PERIOD_MS = 10_000;

/**
 * Checks the disk every ten seconds, and logs each change.
 *
 * A file system that finds a fault in itself becomes read-only. The agent goes on:
 * what runs is watched and restarted, and what needs no new file is started.
 */
export class RootDisk {
  readonly #lock: Pick<HeldRootLock, "check">;
  readonly #clock: Clock;
  readonly #log: Logger;
  #problem: string | undefined;

  constructor(
    lock: Pick<HeldRootLock, "check">,
    deps: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.#lock = lock;
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  /** Why the disk takes nothing; `undefined` while all is well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Looks once. */
  async look(): Promise<void> {
    const before = this.#problem;
    this.#problem = (await this.#lock.check())?.message;
    if (this.#problem === before) return;
    if (this.#problem === undefined) this.#log.info("root_directory_writable");
    else {
      this.#log.error("root_directory_not_writable", {
        fault: this.#problem,
        note: "pods run on; nothing that is new can be kept",
      });
    }
  }

  /** Looks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(LOOK_PERIOD_MS, signal);
      await this.look();
    }
  }
}
