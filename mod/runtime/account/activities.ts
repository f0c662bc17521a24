/**
 * Knowing what is being done for each pod right now.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type { Activity, ActivityFact } from "../../pod/lifecycle/mod.ts";

/**
 * The things under way, by pod: `using _ = activities.begin(uid, { kind: … })`.
 *
 * Holds as much as is under way and nothing of what is over. Costs an entry in a set
 * and a reading of the clock, so that it may stand around any call to a runtime.
 */
export class Activities {
  readonly #clock: Clock;
  readonly #running = new Map<string, Set<Running>>();

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Something begins for a pod; it ends when the result is disposed of. */
  begin(uid: string, activity: Activity): Disposable {
    const running = {
      activity,
      startMs: this.#clock.monotonic(),
    };
    const all = this.#running.get(uid) ?? new Set();
    this.#running.set(uid, all.add(running));
    return {
      [Symbol.dispose]: () => {
        all.delete(running);
        const isLast = all.size === 0 && this.#running.get(uid) === all;
        if (isLast) this.#running.delete(uid);
      },
    };
  }

  /** What is under way for a pod, in the order in which it began. */
  list(uid: string): readonly ActivityFact[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#running.get(uid) ?? []].map((
      { activity, startMs },
    ) => ({ ...activity, forMs: nowMs - startMs }));
  }
}

interface Running {
  readonly activity: Activity;
  /** On the monotonic clock. */
  readonly startMs: number;
}
