/**
 * Credentials that others renew on disk.
 *
 * @module
 */

import { type Clock, type TaskGroup, unlessAborted } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { ApiFailure } from "../../api/access/mod.ts";
import type { KubeIdentity } from "../config/mod.ts";
import type { LanePool } from "./lane_pool.ts";
import type { IdentitySource } from "./ports.ts";

/** As client-go's cache of a token file: what is older is read again. */
export const FRESH_MS = 60_000;

/** What a keeper works with. */
export interface IdentityKeeperDeps {
  readonly source: IdentitySource;
  readonly pool: LanePool;
  readonly clock: Clock;
  readonly tasks: TaskGroup;
  readonly log: Logger;
}

/**
 * Reads credentials again while they are used, and hands them to the pool. Those that work
 * stay in use until others can be read and fit together.
 */
export class IdentityKeeper {
  readonly #deps: IdentityKeeperDeps;
  #readMs = -Infinity;
  #reading: Promise<void> | undefined;
  /** Why they could not be read the last time. */
  #fault: string | undefined;

  constructor(deps: IdentityKeeperDeps) {
    this.#deps = deps;
  }

  /**
   * The credentials, not older than a minute if they can be read.
   *
   * @throws {ApiFailure} `Unauthorized` when there have never been any.
   */
  current(signal: AbortSignal): Promise<KubeIdentity> {
    return this.#readSince(this.#deps.clock.monotonic() - FRESH_MS, signal);
  }

  /** The same, read after a time. */
  async #readSince(
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<KubeIdentity> {
    const { pool } = this.#deps;
    if (this.#readMs <= sinceMs || pool.identity === undefined) {
      await unlessAborted(this.#read(), signal);
    }
    if (pool.identity !== undefined) return pool.identity;
    throw new ApiFailure(
      "Unauthorized",
      `Cannot speak to the API server: ${this.#fault}`,
    );
  }

  /**
   * The credentials after a server has refused those of a call.
   *
   * @param refused.sinceMs when that call began
   * @returns `undefined` when there are no others
   */
  async renewed(
    refused: { readonly identity: KubeIdentity; readonly sinceMs: number },
    signal: AbortSignal,
  ): Promise<KubeIdentity | undefined> {
    const identity = await this.#readSince(refused.sinceMs, signal);
    return secretsOf(identity) === secretsOf(refused.identity)
      ? undefined
      : identity;
  }

  /** Reads now, and once more if a reading is under way, which may have seen the old ones. */
  async read(signal: AbortSignal): Promise<void> {
    if (this.#reading !== undefined) await unlessAborted(this.#reading, signal);
    await unlessAborted(this.#read(), signal);
  }

  /** Reads once for all that wait for it. */
  #read(): Promise<void> {
    const { tasks, clock } = this.#deps;
    this.#reading ??= tasks.start(async () => {
      this.#readMs = clock.monotonic();
      await this.#adopt();
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #adopt(): Promise<void> {
    const { source, pool, log } = this.#deps;
    const before = pool.identity;
    try {
      const identity = await source.load();
      pool.adopt(identity);
      this.#fault = undefined;
      const isOther = before !== undefined &&
        secretsOf(before) !== secretsOf(identity);
      if (isOther) log.info("credentials_renewed");
    } catch (error) {
      const fault = describeError(error);
      // Said once, and not at every look.
      if (fault !== this.#fault) {
        log.warn("credentials_unusable", {
          error,
          inUse: before !== undefined,
        });
      }
      this.#fault = fault;
    }
  }
}

function secretsOf({ client, token }: KubeIdentity): string {
  return JSON.stringify([client?.cert, token?.reveal()]);
}
