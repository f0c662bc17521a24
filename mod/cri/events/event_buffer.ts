/**
 * What lies between a stream that never waits and a reader that may.
 *
 * @module
 */

import type { ContainerEvent, Missed } from "./runtime_event.ts";

/**
 * Holds events until they are read, each only once and at most so many.
 *
 * A stream of events must always be read: a runtime keeps what it cannot send, and
 * containerd keeps it without bound. An event that still waits to be read says all that a
 * second one for the same would.
 */
export class EventBuffer {
  readonly #capacity: number;
  readonly #waiting = new Map<string, ContainerEvent>();
  /** An event was refused since the last `take`. */
  #hasMissed = false;
  // No Bell: the reader waits for the end of its stream, also after an abort. A Bell ends
  // every wait at an abort, so the reader would look again and again until that end.
  #wake: () => void = () => {};

  /** Makes an empty one. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Takes an event, or one for all that are like it; `false` when there is no room. */
  offer(event: ContainerEvent): boolean {
    const key = `${event.what} ${event.containerId}`;
    if (!this.#waiting.has(key)) {
      if (this.#waiting.size >= this.#capacity) {
        this.#hasMissed = true;
        this.#wake();
        return false;
      }
      this.#waiting.set(key, event);
    }
    this.#wake();
    return true;
  }

  /**
   * The oldest event, no longer held; `undefined` when there is none. A `missed` comes
   * first, one for all refused events.
   */
  take(): ContainerEvent | Missed | undefined {
    if (this.#hasMissed) {
      this.#hasMissed = false;
      return MISSED;
    }
    const [oldest] = this.#waiting;
    if (oldest === undefined) return undefined;
    const [key, event] = oldest;
    this.#waiting.delete(key);
    return event;
  }

  /** Resolves when something is offered, or `wake` is called, after this call. */
  changed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  /** Lets the waiting reader look again. */
  wake(): void {
    this.#wake();
  }
}

const MISSED: Missed = { kind: "missed" };
