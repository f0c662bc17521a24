/**
 * Says to a cluster that nothing is left of pods that it has deleted.
 *
 * The rules are those of the kubelet's pkg/kubelet/status (canBeDeleted).
 *
 * @module
 */

import { hasFailed } from "../api/access/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { Bell, type Clock, nextDelay } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { PodClient } from "./ports.ts";

/** What ending pods in a cluster works with. */
export interface PodDeletionsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: Pick<PodClient, "remove">;
  /** The pods of the node that the cluster wants to be gone. */
  readonly ending: () => readonly Pod[];
  /**
   * Whether the agent knows that a pod is to end, has nothing of it any more, and has said
   * how it ended.
   */
  readonly isGone: (pod: Pod) => boolean;
  /**
   * Has the API server know that a pod is over, which it may not if an agent was ended
   * before it could say so.
   *
   * @throws {ApiFailure} When it is refused or does not get through.
   */
  readonly close: (pod: Pod, signal: AbortSignal) => Promise<void>;
}

/** While pods end, how often it is asked whether they have; less often the longer it takes. */
const LOOK = { baseMs: 100, maxMs: 2_000 };

/** Between attempts that failed. */
const RETRY = { baseMs: 1_000, maxMs: 30_000 };

/**
 * Between attempts for a pod that is shown on although the server has taken it, or has said
 * that it knows none: some finalizer holds it, or what was said was wrong.
 */
const AGAIN = { baseMs: 30_000, maxMs: 600_000 };

/**
 * Removes a pod from the API server once it has ended, its volumes are gone and it is told how
 * it ended, by its UID: one made anew under the name is another. Costs nothing while no pod ends.
 */
export class PodDeletions {
  readonly #deps: PodDeletionsDeps;
  readonly #bell = new Bell();
  #isWoken = false;
  /** Removed, until the watch shows it; and how long each is left alone, and until when. */
  readonly #done = new Map<
    string,
    { readonly againMs: number; readonly waitMs: number }
  >();
  #lookMs: number | undefined;
  #retryMs: number | undefined;
  #isTold = false;

  constructor(deps: PodDeletionsDeps) {
    this.#deps = { ...deps, log: deps.log.named("cluster") };
  }

  /** Looks again: the cluster deletes a pod, or one has ended. */
  wake(): void {
    this.#lookMs = undefined;
    this.#isWoken = true;
    this.#bell.ring();
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    try {
      while (!signal.aborted) {
        this.#isWoken = false;
        const untilMs = await this.#sync(signal) + clock.monotonic();
        if (!this.#isWoken) await this.#bell.wait(signal, { clock, untilMs });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** @returns how long until it is to look again */
  async #sync(signal: AbortSignal): Promise<number> {
    const { clock, ending, isGone } = this.#deps;
    const all = ending();
    const uids = new Set(all.map(({ metadata }) => metadata.uid));
    for (const uid of this.#done.keys()) {
      if (!uids.has(uid)) this.#done.delete(uid);
    }
    let hasFailedOne = false;
    for (const pod of all) {
      const { uid } = pod.metadata;
      if (clock.monotonic() < this.#againMs(uid) || !isGone(pod)) continue;
      if (await this.#remove(pod, signal)) this.#leave(uid);
      else hasFailedOne = true;
    }
    this.#isTold = hasFailedOne;
    this.#retryMs = hasFailedOne ? nextDelay(this.#retryMs, RETRY) : undefined;
    if (this.#retryMs !== undefined) return this.#retryMs;
    const waits = ending().map(({ metadata }) =>
      Math.max(0, this.#againMs(metadata.uid) - clock.monotonic())
    );
    const isWaiting = waits.includes(0);
    this.#lookMs = isWaiting ? nextDelay(this.#lookMs, LOOK) : undefined;
    const rests = waits.filter((waitMs) => waitMs > 0);
    return Math.min(this.#lookMs ?? Infinity, ...rests);
  }

  /** From when on it is to be removed, or to be asked for whether it may be. */
  #againMs(uid: string): number {
    return this.#done.get(uid)?.againMs ?? 0;
  }

  #leave(uid: string): void {
    const waitMs = nextDelay(this.#done.get(uid)?.waitMs, AGAIN);
    const againMs = this.#deps.clock.monotonic() + waitMs;
    this.#done.set(uid, { againMs, waitMs });
  }

  /** @returns whether it is gone, or another one has its name by now */
  async #remove(pod: Pod, signal: AbortSignal): Promise<boolean> {
    const { client, log } = this.#deps;
    const { namespace, name, uid } = pod.metadata;
    try {
      await this.#close(pod, signal);
      await client.remove({ namespace, name, uid }, signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (hasFailed(error, "NotFound", "Conflict")) return true;
      if (!this.#isTold) {
        this.#isTold = true;
        const reason = describeError(error);
        log.warn("pod_not_removed", { pod: `${namespace}/${name}`, reason });
      }
      return false;
    }
  }

  async #close(pod: Pod, signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.close(pod, signal);
    } catch (error) {
      // What the server does not take as a status must not keep the pod for ever; another
      // pod of the name is safe by its UID.
      if (!hasFailed(error, "Invalid")) throw error;
    }
  }
}
