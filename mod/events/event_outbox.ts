/**
 * Which events a cluster has not been told of.
 *
 * @module
 */

import { type Clock, momentOf } from "../base/mod.ts";
import type { PodRef } from "../api/types/mod.ts";
import { dated } from "./dated.ts";
import type { EventHistory, RecordedEvent } from "./history.ts";

/**
 * A place in the history, from which one reader goes on.
 *
 * It holds nothing itself: what waits is what the history keeps, with the counts that it
 * has by now. So the wait is bounded by the history, whose oldest events go first, and an
 * event that happened ten times meanwhile is told once.
 */
export class EventOutbox {
  readonly #history: EventHistory;
  readonly #clock: Clock;
  /** The number of the newest event that needs no word any more. */
  #done = -Infinity;
  #lost = 0;
  #moved: () => void = () => {};

  constructor(history: EventHistory, clock: Clock) {
    this.#history = history;
    this.#clock = clock;
    history.listen({
      moved: () => this.#moved(),
      forgotten: ({ sequence, pod, trace }) => {
        const isWanted = concernsCluster(pod) && !trace.isHeldBack;
        if (isWanted && sequence > this.#done) this.#lost++;
      },
    });
  }

  /** The event to be told next, as it is now. */
  next(): RecordedEvent | undefined {
    const now = momentOf(this.#clock);
    while (true) {
      const event = this.#history.next(this.#done, now.monotonicMs);
      if (event === undefined) return undefined;
      if (concernsCluster(event.pod) && !event.trace.isHeldBack) {
        return dated(event, now);
      }
      this.#done = event.sequence;
    }
  }

  /** The event needs no further word as it is; when it happens again, it does. */
  done({ sequence }: Pick<RecordedEvent, "sequence">): void {
    this.#done = Math.max(this.#done, sequence);
  }

  /** How many were forgotten before they were told, since this was asked last. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  /** Calls when there may be something to tell; a later caller takes its place. */
  whenMoved(listener: () => void): Disposable {
    this.#moved = listener;
    return {
      [Symbol.dispose]: () => {
        if (this.#moved === listener) this.#moved = () => {};
      },
    };
  }
}

/** A cluster has the node and its pods; other objects, and pods made for them, are the node's own. */
function concernsCluster({ kind, isLocal }: PodRef): boolean {
  return isLocal !== true && (kind === undefined || kind === "Node");
}
