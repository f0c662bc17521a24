/**
 * Places among the pods that start.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { isCriticalPod } from "../../api/vocabulary/mod.ts";
import { type Clock, unlessAborted } from "../../base/mod.ts";
import type { Activities } from "../account/mod.ts";
import {
  NO_STARTS,
  slotsOf,
  type StartLane,
  type StartSignal,
  stepStarts,
} from "./start_queue.ts";

/** A pod among those that start; disposing gives the place up, however far the start came. */
export interface StartPlace extends Disposable {
  /** The runtime makes its sandbox: as long as that lasts it counts, even if it is given up. */
  making(call: Promise<unknown>): void;
}

/** Lets pods start one after the other, as {@linkcode stepStarts} decides. */
export class StartPlaces {
  readonly #clock: Clock;
  readonly #activities: Activities;
  readonly #slots: number;
  #queue = NO_STARTS;
  #lastId = 0;
  #timer: Disposable | undefined;
  /** By id, while they wait. */
  readonly #begins = new Map<number, () => void>();

  constructor(
    deps: { readonly clock: Clock; readonly activities: Activities },
    options: { readonly slots: number },
  ) {
    this.#clock = deps.clock;
    this.#activities = deps.activities;
    this.#slots = options.slots;
  }

  /**
   * Waits until a pod may start.
   *
   * @throws {unknown} The reason of the signal when it aborts first.
   */
  async take(pod: Pod, signal: AbortSignal): Promise<StartPlace> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const lane = laneOf(pod);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begins.set(id, resolve);
    this.#step({ kind: "came", id, lane });
    if (!this.#begins.has(id)) return this.#place(id);
    const kind = "waiting_for_start_place";
    const places = slotsOf(lane, this.#slots);
    const { uid } = pod.metadata;
    using _waiting = this.#activities.begin(uid, { kind, places });
    try {
      await unlessAborted(promise, signal);
    } catch (error) {
      this.#begins.delete(id);
      this.#step({ kind: "over", id });
      throw error;
    }
    return this.#place(id);
  }

  #place(id: number): StartPlace {
    let isCalling = false;
    let isGivenUp = false;
    return {
      making: (call) => {
        isCalling = true;
        const answered = (): void => {
          isCalling = false;
          if (isGivenUp) this.#step({ kind: "over", id });
        };
        // Its caller handles the failure.
        void call.then(answered, answered);
      },
      [Symbol.dispose]: () => {
        if (isGivenUp) return;
        isGivenUp = true;
        this.#step({ kind: isCalling ? "abandoned" : "over", id });
      },
    };
  }

  #step(signal: StartSignal): void {
    const nowMs = this.#clock.monotonic();
    const slots = this.#slots;
    const step = stepStarts(this.#queue, signal, { nowMs, slots });
    const { begun, againMs } = step;
    this.#queue = step.queue;
    this.#timer?.[Symbol.dispose]();
    this.#timer = againMs === undefined ? undefined : this.#clock.after(
      againMs - nowMs,
      () => this.#step({ kind: "time_passed" }),
    );
    for (const id of begun) {
      this.#begins.get(id)?.();
      this.#begins.delete(id);
    }
  }
}

/** A pod on the node's network may be what the network of all others waits for. */
function laneOf(pod: Pod): StartLane {
  const goesFirst = pod.spec.hostNetwork === true || isCriticalPod(pod);
  return goesFirst ? "first" : "usual";
}
