/**
 * Knowing what is being done for each pod right now.
 *
 * @module
 */

import { type Clock, Semaphore } from "../../base/mod.ts";
import type { Activity, ActivityFact } from "../../pod/lifecycle/mod.ts";

/**
 * The things under way, by pod: `using _ = activities.begin(uid, { kind: … })`.
 *
 * Holds as much as is under way and nothing of what is over. Costs an entry in a set
 * and a reading of the clock, so that it may stand around any call to a runtime.
 */
export class Activities {
  readonly #clock: Clock;
  readonly #running = new Set<RunningActivity>();

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Something begins for a pod; it ends when the result is disposed of. */
  begin(uid: string, activity: Activity): Disposable {
    const running = { uid, activity, startMs: this.#clock.monotonic() };
    this.#running.add(running);
    return { [Symbol.dispose]: () => void this.#running.delete(running) };
  }

  /** What is under way for a pod, in the order in which it began. */
  list(uid: string): readonly ActivityFact[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#running].filter((running) => running.uid === uid)
      .map(({ activity, startMs }) => ({
        ...activity,
        forMs: nowMs - startMs,
      }));
  }
}

interface RunningActivity {
  readonly uid: string;
  readonly activity: Activity;
  /** On the monotonic clock. */
  readonly startMs: number;
}

/** What a pod does while it waits for a slot. */
type WaitingActivity = Extract<Activity, { readonly places: number }>;

/** All of an activity but the number of slots. */
type WithoutPlaces<T> = T extends WaitingActivity ? Omit<T, "places"> : never;

/** Lends out slots, first come, first served; each wait for a slot is an activity. */
export class Slots {
  readonly #count: number;
  readonly #free: Semaphore;
  readonly #activities: Activities;

  /** @throws {InvariantError} When `count` is not a whole number above zero. */
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
    waiting: WithoutPlaces<WaitingActivity>,
    options: { readonly uid: string; readonly signal: AbortSignal },
  ): Promise<Disposable> {
    const { uid, signal } = options;
    if (!this.isFull) return await this.#free.acquire(signal);
    const activity = { ...waiting, places: this.#count };
    using _waiting = this.#activities.begin(uid, activity);
    return await this.#free.acquire(signal);
  }
}
