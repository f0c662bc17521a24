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
  readonly #running = new Set<RunningActivity>();
  #waits: (uid: string) => void = () => {};

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Has `listener` called with the pod each time that something begins for which it waits. */
  whenWaiting(listener: (uid: string) => void): void {
    this.#waits = listener;
  }

  /** A pod waits for something that is soon over, and not worth to be shown. */
  waits(uid: string): void {
    this.#waits(uid);
  }

  /** Something begins for a pod; it ends when the result is disposed of. */
  begin(uid: string, activity: Activity): Disposable {
    if (!WORK.has(activity.kind)) this.#waits(uid);
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

/** What the agent works at itself, mostly; all else is waiting for another. */
const WORK: ReadonlySet<Activity["kind"]> = new Set([
  "making_volumes",
  "looking_for_image",
  "starting_container",
]);
