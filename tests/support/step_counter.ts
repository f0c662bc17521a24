/**
 * Counting what an input costs.
 *
 * @module
 */

import type { WorkMeter } from "../../mod/base/mod.ts";

/** Adds up what it is told. */
export class StepCounter implements WorkMeter {
  total = 0;

  /** Adds to the total. */
  spend(units: number): void {
    this.total += units;
  }
}
