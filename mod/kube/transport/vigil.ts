/**
 * Noticing that a connection is dead although nothing says so.
 *
 * @module
 */

import { type Clock, deadline, type TaskGroup } from "../../base/mod.ts";

/** How long a connection with open streams may say nothing before it is asked. */
export const SILENCE_MS = 30_000;

/** How long it may take to answer then. Both are those of Go's client of HTTP/2 in client-go. */
export const ANSWER_MS = 15_000;

/** What a vigil works with. */
export interface VigilDeps {
  readonly clock: Clock;
  /** The question is asked in this group. */
  readonly tasks: TaskGroup;
  /** Asks for something cheap; whatever is answered is a sign of life. */
  readonly ask: (signal: AbortSignal) => Promise<void>;
  /** Is called once, when there is no sign of life. */
  readonly whenDead: () => void;
}

/**
 * Watches over one connection: a peer that has gone, or a way on which packets are lost,
 * shows by nothing but silence.
 *
 * Over HTTP/2 the question goes the way of the streams. A server that has only HTTP/1 is
 * asked over another connection: that it is gone is noticed, but not that one stream is.
 */
export class Vigil implements Disposable {
  readonly #deps: VigilDeps;
  /** The last sign of life, or when there was nothing to hear. */
  #heardMs: number;
  #isAsking = false;
  #isOver = false;
  #streams = 0;
  #timer: Disposable | undefined;

  constructor(deps: VigilDeps) {
    this.#deps = deps;
    this.#heardMs = deps.clock.monotonic();
  }

  /** Something has come. */
  heard(): void {
    this.#heardMs = this.#deps.clock.monotonic();
  }

  /** A stream is open until the result is disposed. */
  watchOver(): Disposable {
    this.#streams++;
    if (this.#streams === 1) {
      this.heard();
      this.#arm();
    }
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#streams--;
        if (this.#streams === 0) this.#timer?.[Symbol.dispose]();
      },
    };
  }

  /** A call that began then has got no answer in time. */
  suspect(beganMs: number): void {
    if (this.#heardMs <= beganMs) this.#ask();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
  }

  #arm(): void {
    if (this.#isOver || this.#streams === 0) return;
    const silentMs = this.#deps.clock.monotonic() - this.#heardMs;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#deps.clock.after(SILENCE_MS - silentMs, () => {
      const silentMs = this.#deps.clock.monotonic() - this.#heardMs;
      if (silentMs < SILENCE_MS) this.#arm();
      else this.#ask();
    });
  }

  #ask(): void {
    if (this.#isAsking || this.#isOver) return;
    this.#isAsking = true;
    const { clock, tasks, ask, whenDead } = this.#deps;
    // It is awaited by the group and never fails.
    void tasks.start(async (signal) => {
      using limit = deadline(clock, ANSWER_MS, signal);
      const beganMs = this.#heardMs;
      try {
        await ask(limit.signal);
        this.heard();
      } catch {
        // Why it failed does not matter: a stream may have spoken meanwhile.
      }
      this.#isAsking = false;
      if (this.#isOver || signal.aborted) return;
      if (this.#heardMs > beganMs) return this.#arm();
      this[Symbol.dispose]();
      whenDead();
    });
  }
}
