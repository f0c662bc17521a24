/**
 * Chance as a thing that is given, so that tests can repeat it.
 *
 * @module
 */

/** A source of evenly spread numbers; not for secrets. */
export interface Random {
  /** The next number, at least 0 and below 1. */
  next(): number;
}

/** The random numbers of the machine. */
export const systemRandom: Random = { next: () => Math.random() };

/**
 * Lengthens a period by a random part, so that many do not fall due together.
 *
 * @returns Milliseconds from `ms` up to `ms * (1 + factor)`.
 */
export function jitter(random: Random, ms: number, factor: number): number {
  return ms + random.next() * factor * ms;
}
