/**
 * What the exit code of every command means.
 *
 * @module
 */

/** It was done. */
export const EXIT_OK = 0;
/** It failed; of `validate`, a manifest has a fault. */
export const EXIT_FAILURE = 1;
/** The arguments, the configuration or the grants do not allow it (sysexits' EX_USAGE). */
export const EXIT_USAGE = 64;
