/**
 * Says to a cluster which of its pods the node cannot run.
 *
 * @module
 */

import { hasFailed } from "../api/access/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { Bell, type Clock, nextDelay } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";

/** A pod that the node cannot run, and why. */
export interface FailedPod {
  readonly pod: Pod;
  readonly refusal: { readonly reason: string; readonly message: string };
}

/** What failing pods works with. */
export interface PodRefusalsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Those of which nothing is here, as the cluster has them now. */
  readonly refused: () => readonly FailedPod[];
  /**
   * Says in the status of that very pod that it has failed, unless it is over.
   *
   * @throws {ApiFailure} When it is refused or does not get through.
   */
  readonly fail: (failed: FailedPod, signal: AbortSignal) => Promise<void>;
}

/** Between attempts at what the API server refuses, or cannot be told. */
const RETRY = { baseMs: 1_000, maxMs: 60_000 };

/**
 * Fails pods for good that the node cannot run, so that whoever made them knows. What does
 * not get through is told once, and tried again. Costs nothing while there is none.
 */
export class PodRefusals {
  readonly #deps: PodRefusalsDeps;
  readonly #bell = new Bell();
  #isWoken = false;
  /** The UIDs of those that have failed, until they are gone. */
  readonly #done = new Set<string>();
  #retryMs: number | undefined;
  #isTold = false;
  #untilMs = -Infinity;

  constructor(deps: PodRefusalsDeps) {
    this.#deps = { ...deps, log: deps.log.named("cluster") };
  }

  /** Looks again: there may be others. */
  wake(): void {
    this.#isWoken = true;
    this.#bell.ring();
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    try {
      while (!signal.aborted) {
        this.#isWoken = false;
        if (clock.monotonic() >= this.#untilMs) await this.#sync(signal);
        const untilMs = this.#retryMs === undefined ? Infinity : this.#untilMs;
        if (!this.#isWoken) await this.#bell.wait(signal, { clock, untilMs });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const all = this.#deps.refused();
    const uids = new Set(all.map(({ pod }) => pod.metadata.uid));
    for (const uid of this.#done) if (!uids.has(uid)) this.#done.delete(uid);
    let hasFailedOne = false;
    for (const each of all) {
      const { uid } = each.pod.metadata;
      // What has no UID is no pod that anybody could tell from another.
      if (uid === "" || this.#done.has(uid)) continue;
      if (await this.#fail(each, signal)) this.#done.add(uid);
      else hasFailedOne = true;
    }
    this.#retryMs = hasFailedOne ? nextDelay(this.#retryMs, RETRY) : undefined;
    this.#isTold = hasFailedOne;
    this.#untilMs = this.#deps.clock.monotonic() + (this.#retryMs ?? 0);
  }

  /** @returns whether that is over */
  async #fail(failed: FailedPod, signal: AbortSignal): Promise<boolean> {
    const { fail, log } = this.#deps;
    try {
      await fail(failed, signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (hasFailed(error, "NotFound")) return true;
      if (!this.#isTold) {
        this.#isTold = true;
        const { namespace, name } = failed.pod.metadata;
        const reason = describeError(error);
        log.warn("pod_not_failed", { pod: `${namespace}/${name}`, reason });
      }
      return false;
    }
  }
}
