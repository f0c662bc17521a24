/**
 * Limits how many pods do the same at once.
 *
 * @module
 */

import { Semaphore } from "../../base/mod.ts";
import type { Activity } from "../../pod/lifecycle/mod.ts";
import type { Activities } from "./activities.ts";

/** What a pod does while it waits for a slot. */
type Waiting = Extract<Activity, { readonly places: number }>;

/** All of an activity but the number of slots. */
type WithoutPlaces<T> = T extends Waiting ? Omit<T, "places"> : never;

/** Lends out slots, first come, first served; who waits for one is an activity. */
export class Slots {
  readonly #count: number;
  readonly #free: Semaphore;
  readonly #activities: Activities;

  /** @throws {RangeError} When `count` is not a whole number above zero. */
  constructor(count: number, activities: Activities) {
    this.#count = count;
    this.#free = new Semaphore(count);
    this.#activities = activities;
  }

  /** Whether the next one has to wait. */
  get isFull(): boolean {
    return this.#free.available === 0;
  }

  /**
   * Takes a slot for a pod; disposing releases it.
   *
   * @throws {unknown} The reason of the signal when it aborts first.
   */
  async take(
    waiting: WithoutPlaces<Waiting>,
    options: { readonly uid: string; readonly signal: AbortSignal },
  ): Promise<Disposable> {
    const { uid, signal } = options;
    if (!this.isFull) return await this.#free.acquire(signal);
    const activity = { ...waiting, places: this.#count };
    using _waiting = this.#activities.begin(uid, activity);
    return await this.#free.acquire(signal);
  }
}
