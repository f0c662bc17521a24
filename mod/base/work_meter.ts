/**
 * Counting what an input costs, in units that are the same on every machine.
 *
 * @module
 */

/**
 * Counts the units of work that code reports: a character looked at, a value made, a
 * byte moved. What an input may cost is then bounded and tested without a clock.
 */
export interface WorkMeter {
  /** Adds what was done since the last time. */
  spend(units: number): void;
}

/** Counts nothing. */
export const UNMETERED: WorkMeter = { spend: () => {} };
