/**
 * Counting what an input costs, in units that are the same on every machine.
 *
 * @module
 */

/**
 * Is told of work by whoever does it: a character looked at, a value made, a byte
 * moved. What an input may cost is then bounded and tested without a clock.
 */
export interface WorkMeter {
  /** Adds what was done since the last time. */
  spend(units: number): void;
}

/** For where nobody counts. */
export const UNMETERED: WorkMeter = { spend: () => {} };
