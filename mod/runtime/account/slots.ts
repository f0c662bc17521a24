/**
 * A few places for what must not be done by all pods at once.
 *
 * @module
 */

import { Semaphore } from "../../base/mod.ts";
import type { Activity } from "../../pod/lifecycle/mod.ts";
import type { Activities } from "./activities.ts";

/** What a pod does that waits for a place. */
type Waiting = Extract<Activity, { readonly places: number }>;

/** All of an activity but the number of places. */
type WithoutPlaces<T> = T extends Waiting ? Omit<T, "places"> : never;

/** Lends out places, first come, first served, and says who waits for one. */
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
   * Takes a place for a pod; disposing gives it back.
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
