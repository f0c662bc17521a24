/**
 * What is remembered of pods between two syncs.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type { ResizeRefusal } from "../../pod/plan/mod.ts";
import type { Activities } from "../../runtime/account/mod.ts";
import { ActiveTimes } from "./active_times.ts";
import { Decisions } from "./decision.ts";
import type { Waiting } from "./waiting.ts";

/**
 * Holds per pod only what the runtime cannot tell: why a container waits, what the
 * last sync came to, and when the last action was, so that a plan is never made from
 * a picture older than that (I1).
 */
export class SyncMemory {
  /** Why containers have not started. */
  readonly waiting: Map<string, Waiting> = new Map();
  /** Why pods have other resources than they ask for. */
  readonly refusedResizes: Map<string, ResizeRefusal> = new Map();
  readonly decisions: Decisions;
  /** How much of their deadlines pods have used. */
  readonly activeTimes: ActiveTimes;
  readonly #clock: Clock;
  readonly #actedAtMs = new Map<string, number>();
  readonly #acting = new Set<string>();
  readonly #runningOn = new Map<string, Disposable>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.decisions = new Decisions(clock);
    this.activeTimes = new ActiveTimes({ clock });
  }

  /** Whether something is being done for the pod. */
  isActing(uid: string): boolean {
    return this.#acting.has(uid);
  }

  /** When something was last done for the pod, on the monotonic clock; `undefined` for never. */
  actedAtMs(uid: string): number | undefined {
    return this.#actedAtMs.get(uid);
  }

  /** Corrects that time; `undefined` says that nothing was done at all. */
  setActedAtMs(uid: string, atMs: number | undefined): void {
    if (atMs === undefined) this.#actedAtMs.delete(uid);
    else this.#actedAtMs.set(uid, atMs);
  }

  /** Does what changes a pod. */
  async acted<T>(uid: string, act: () => Promise<T>): Promise<T> {
    this.#acting.add(uid);
    try {
      return await act();
    } finally {
      // Also when it was cut short: what it began must be seen before the next plan.
      this.#actedAtMs.set(uid, this.#clock.monotonic());
      this.#acting.delete(uid);
    }
  }

  /** Forgets a pod that begins anew, but not that its end changed what is to be seen. */
  renew(uid: string): void {
    const atMs = this.#actedAtMs.get(uid);
    this.forget(uid);
    this.setActedAtMs(uid, atMs);
  }

  /** A pod that nobody wants is kept running for its successor's sake, or is not any more. */
  setRunningOn(uid: string, activities: Activities | false): void {
    if (activities === false) {
      this.#runningOn.get(uid)?.[Symbol.dispose]();
      this.#runningOn.delete(uid);
    } else if (!this.#runningOn.has(uid)) {
      const activity = activities.begin(uid, { kind: "running_on" });
      this.#runningOn.set(uid, activity);
    }
  }

  /** Forgets a pod that is gone. */
  forget(uid: string): void {
    this.waiting.delete(uid);
    this.refusedResizes.delete(uid);
    this.decisions.forget(uid);
    this.activeTimes.forget(uid);
    this.#actedAtMs.delete(uid);
  }
}
