/**
 * Values as `/stats/summary` has them.
 *
 * @module
 */

import { formatTime } from "../pod/status/mod.ts";

/** A time in nanoseconds since 1970 as text. */
export function timeOf(nanos: bigint): string {
  return formatTime(Number(nanos / 1_000_000n));
}

/** As a number of JSON. */
export function numberOf(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** When the newest of them was measured. */
export function newest(
  all: readonly { readonly atNanos: bigint }[],
): bigint {
  return all.reduce((best, { atNanos }) => atNanos > best ? atNanos : best, 0n);
}

/** The sum of all. */
export function sum(numbers: readonly bigint[]): bigint {
  return numbers.reduce((total, next) => total + next, 0n);
}

/** The sum of those that are known; `undefined` if none is. */
export function sumOfKnown(
  numbers: readonly (bigint | undefined)[],
): bigint | undefined {
  const known = numbers.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : sum(known);
}
