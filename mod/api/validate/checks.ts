/**
 * The small checks that validation is made of.
 *
 * @module
 */

import type { Problem } from "./names.ts";
import type { Place } from "../fault/mod.ts";

/** Reports a value that is none of a closed set; absent is right. */
export function checkEnum(
  value: string | undefined,
  supported: readonly string[],
  at: Place,
): void {
  if (value !== undefined && !supported.includes(value)) {
    at.unsupported(value, supported);
  }
}

/** Reports a text that has not the right shape; absent is right. */
export function checkShape(
  value: string | undefined,
  problemOf: (text: string) => Problem,
  at: Place,
): void {
  if (value === undefined) return;
  const problem = problemOf(value);
  if (problem !== undefined) at.invalid(value, problem);
}

/** As {@linkcode checkShape}, and absent or empty is a fault. */
export function requireShape(
  value: string | undefined,
  problemOf: (text: string) => Problem,
  at: Place,
): void {
  if (value === undefined || value === "") at.required();
  else checkShape(value, problemOf, at);
}

/** Reports absence; empty counts as absent. */
export function requireText(value: string | undefined, at: Place): void {
  if (value === undefined || value === "") at.required();
}

/** Reports a number outside of a range, bounds included; absent is right. */
export function checkRange(
  value: number | undefined,
  range: { readonly min: number; readonly max?: number },
  at: Place,
): void {
  if (value === undefined) return;
  const { min, max = Infinity } = range;
  if (value >= min && value <= max) return;
  at.invalid(
    value,
    max === Infinity
      ? `must be greater than or equal to ${min}`
      : `must be between ${min} and ${max}, inclusive`,
  );
}

/**
 * Names the fields of an object that are set, of those that exclude each other,
 * and reports when it is not exactly one.
 */
export function checkOneOf(
  value: object,
  options: { readonly of: string; readonly ignore?: readonly string[] },
  at: Place,
): void {
  const { of, ignore = [] } = options;
  const set = Object.keys(value).filter((key) => !ignore.includes(key));
  const [first, ...others] = set;
  if (first === undefined) at.required(`must specify ${of}`);
  for (const other of others) {
    at.child(other).forbidden(
      `may not specify more than 1 ${of}, "${first}" is set`,
    );
  }
}

/** The entry of a map of the manifest; not what every object has, such as `constructor`. */
export function own(
  map: Readonly<Record<string, string>> | undefined,
  key: string,
): string | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Finds what was seen before. */
export class Uniques {
  readonly #seen = new Set<string>();

  /** Reports a value that comes for the second time; empty is never a duplicate. */
  check(value: string | undefined, at: Place): void {
    if (value === undefined || value === "") return;
    if (this.#seen.has(value)) at.duplicate(value);
    this.#seen.add(value);
  }
}
