/**
 * How long one attempt has, by the clock of an agent that may itself have stood still.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { ProbeResult } from "./ports.ts";

/**
 * Ends an attempt when its time is over, and says whether that proves anything.
 *
 * When the agent did not run at the moment at which the answer was due (it was
 * stopped, or busy), the answer may lie in the socket unread. So an attempt whose
 * timer fires late first reads for as long as it was late; a very late one proves nothing.
 */
export class AttemptLimit implements Disposable {
  readonly timeoutMs: number;
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #startMs: number;
  readonly #follow = (): void => this.#controller.abort(this.#parent.reason);
  #timer: Disposable;
  #isExpired = false;
  #lateMs: number | undefined;

  /** Starts now; the abort of `parent` ends the attempt as well. */
  constructor(
    clock: Pick<Clock, "monotonic" | "after">,
    timeoutMs: number,
    parent: AbortSignal,
  ) {
    this.timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#parent = parent;
    this.#startMs = clock.monotonic();
    this.#timer = clock.after(timeoutMs, () => this.#due());
    if (parent.aborted) this.#follow();
    else parent.addEventListener("abort", this.#follow, { once: true });
  }

  /** Aborts when the time is over, or as the parent does. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time is what ended it. */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  /**
   * Whether the agent stood still for so long that a failure found now may be its own.
   */
  get isStalled(): boolean {
    const lateMs = this.#lateMs ?? this.#overMs();
    return lateMs > STALL_MS;
  }

  /** A failure may come of it that the agent itself did not look after the attempt. */
  judge(result: ProbeResult): ProbeResult {
    return result.kind === "failure" && this.isStalled
      ? { ...result, kind: "stalled" }
      : result;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#parent.removeEventListener("abort", this.#follow);
  }

  #due(): void {
    const lateMs = this.#overMs();
    this.#lateMs = lateMs;
    if (lateMs <= PUNCTUAL_MS) return this.#expire();
    const graceMs = Math.min(lateMs, STALL_MS);
    this.#timer = this.#clock.after(graceMs, () => this.#expire());
  }

  #expire(): void {
    this.#isExpired = true;
    this.#controller.abort(
      new DOMException(
        `The attempt took longer than ${this.timeoutMs} ms`,
        "TimeoutError",
      ),
    );
  }

  #overMs(): number {
    return this.#clock.monotonic() - this.#startMs - this.timeoutMs;
  }
}

/** A timer that is later than this was not held up by ordinary work. */
const STALL_MS = 500;

/** As late as timers are. */
const PUNCTUAL_MS = 20;
