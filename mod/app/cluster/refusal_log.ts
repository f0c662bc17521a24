/**
 * What the log is told of objects that cannot be read.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";

/** So many lines about one object in so long a time; who edits one by hand sees each. */
const LINES = 5;
const WITHIN_MS = 600_000;

/** So many objects are remembered. */
const MOST = 1_000;

/**
 * Tells of each version of an object that the agent cannot use, but not of all of one that
 * changes many times a second: those go to the log for debugging.
 */
export class RefusalLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #told = new Map<string, { sinceMs: number; lines: number }>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** @param object `Pod web_shop` */
  refused(object: string, facts: Readonly<Record<string, unknown>>): void {
    const level = this.#isTooMuch(object) ? "debug" : "warn";
    this.#log[level]("api_object_refused", { object, ...facts });
  }

  #isTooMuch(object: string): boolean {
    const nowMs = this.#clock.monotonic();
    const before = this.#told.get(object);
    if (before !== undefined && nowMs - before.sinceMs < WITHIN_MS) {
      return ++before.lines > LINES;
    }
    if (this.#told.size >= MOST) this.#told.clear();
    this.#told.set(object, { sinceMs: nowMs, lines: 1 });
    return false;
  }
}
