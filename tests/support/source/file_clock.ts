/**
 * The clock of a test that works on real files.
 *
 * @module
 */

import { systemClock } from "../../../mod/base/mod.ts";
import { FakeClock } from "../fake_clock.ts";

/**
 * Moves only with the test, but for the wall clock: that goes with the times that the
 * kernel gives to files, ahead of it by what has passed since the test changed something.
 */
export class FileClock extends FakeClock {
  #changedMs = 0;

  /** What the test has changed up to now has the machine's time. */
  catchUp(): void {
    this.#changedMs = this.monotonic();
  }

  override now(): number {
    return systemClock.now() + this.monotonic() - this.#changedMs;
  }
}
