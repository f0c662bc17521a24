/**
 * Random numbers that a test can repeat.
 *
 * @module
 */

import type { Random } from "../../mod/base/mod.ts";

/**
 * Makes a source that gives the same numbers for the same seed.
 *
 * Only the low 32 bits of `seed` count.
 */
export function seededRandom(seed: number): Random {
  // A Weyl sequence (the odd step visits all 2^32 states), scrambled by two
  // rounds of multiply and shift so that neighbours do not look alike.
  let state = seed | 0;
  return {
    next: () => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
      return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
    },
  };
}
