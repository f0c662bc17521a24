/**
 * Pods that stop because the machine goes down.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { EndingPod, PodSyncer, Retention, SyncResult } from "./ports.ts";

/** What stops a pod without ending it. */
export interface PodParker extends PodSyncer {
  /**
   * Stops what runs of a pod that stays wanted, so that the next agent starts it again.
   *
   * @throws {Error} when something still runs
   */
  park(
    pod: Pod,
    options: { readonly graceSeconds: number; readonly signal: AbortSignal },
  ): Promise<void>;
}

interface Parking {
  readonly graceSeconds: number;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Stands between the workers and the syncer. A pod that is parked is stopped by its own
 * worker, at its next step, and nothing of it starts again as long as this agent lives.
 * Nothing is written that the next agent would take for its end.
 */
export class ParkedPods implements PodSyncer {
  readonly #syncer: PodParker;
  readonly #parkings = new Map<string, Parking>();
  /** The pods that there were when the machine began to go down. */
  #known: ReadonlySet<string> | undefined;

  constructor(syncer: PodParker) {
    this.#syncer = syncer;
  }

  /** Whether the machine goes down. */
  get isGoingDown(): boolean {
    return this.#known !== undefined;
  }

  /** From now on no other pods than these start. */
  begin(known: Iterable<string>): void {
    this.#known = new Set(known);
  }

  /** Has the pod stopped at its next step; resolves when nothing of it runs. */
  park(uid: string, options: Pick<Parking, "graceSeconds">): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#parkings.set(uid, { ...options, done });
    return done.promise;
  }

  async sync(
    pod: Pod,
    options: Parameters<PodSyncer["sync"]>[1],
  ): Promise<SyncResult> {
    const { uid } = pod.metadata;
    const parking = this.#parkings.get(uid);
    if (parking !== undefined) {
      const { graceSeconds } = parking;
      await this.#syncer.park(pod, { graceSeconds, signal: options.signal });
      parking.done.resolve();
      return { kind: "held" };
    }
    if (this.#known?.has(uid) === false) return { kind: "held" };
    return await this.#syncer.sync(pod, options);
  }

  /** No pod is kept running for a successor that does not start any more. */
  async pullAhead(
    successor: Pod,
    options: Parameters<PodSyncer["pullAhead"]>[1],
  ): Promise<boolean> {
    if (this.isGoingDown) return false;
    return await this.#syncer.pullAhead(successor, options);
  }

  async terminate(ending: EndingPod, signal: AbortSignal): Promise<void> {
    await this.#syncer.terminate(ending, signal);
    // It may have been parked meanwhile.
    this.#parkings.get(ending.uid)?.done.resolve();
  }

  async release(
    ending: EndingPod,
    keep: Retention,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#syncer.release(ending, keep, signal);
  }
}
