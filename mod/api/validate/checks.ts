/**
 * The vocabulary of validation: small checks, and tables that say which field of an
 * object has which.
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type { Problem } from "./names.ts";

/** Reports what is wrong with a value at its place. */
export interface Check<Value> extends Lenience {
  (value: Value, at: Place): void;
}

interface Lenience {
  /** Set when absent is right: then nothing is called and no place is made. */
  readonly takesAbsent?: true;
}

interface FieldCheck<Value, Owner> extends Lenience {
  (value: Value, at: Place, owner: Owner): void;
}

/**
 * The checks of an object's fields, in the order in which faults are reported. A rule
 * between two fields finds the other one in `owner`, the object.
 */
export type FieldChecks<T> = {
  readonly [Name in keyof T]?: FieldCheck<T[Name], T>;
};

/** Reports what is wrong with the fields of an object that a table names. */
export function checkFields<T extends object>(
  value: T,
  at: Place,
  checks: FieldChecks<T>,
): void {
  for (const name in checks) {
    if (value[name] === undefined && checks[name]?.takesAbsent) continue;
    checks[name]?.(value[name], at.child(name), value);
  }
}

/** A check of what is there; absent is right. */
export function optional<Value>(
  check: (value: Value, at: Place) => void,
): Check<Value | undefined> {
  const made: Check<Value | undefined> = (value, at) => {
    if (value !== undefined) check(value, at);
  };
  return Object.assign(made, { takesAbsent: true } as const);
}

/** An object whose fields a table checks; absent is right. */
export function fields<T extends object>(
  checks: FieldChecks<NoInfer<T>>,
): Check<T | undefined> {
  return optional<T>((value, at) => checkFields<T>(value, at, checks));
}

/** A list of which each item has a check, and at most so many of `what`; absent is right. */
export function each<Item>(
  check: Check<Item>,
  limit?: { readonly max: number; readonly what: string },
): Check<readonly Item[] | undefined> {
  return optional((items: readonly Item[], at) => {
    if (limit !== undefined && items.length > limit.max) {
      at.tooLong(`must not have more than ${limit.max} ${limit.what}`);
    }
    for (const [i, item] of items.entries()) {
      check(item, at.index(i));
    }
  });
}

/** A value of a closed set; absent is right. */
export function oneOf(...supported: string[]): Check<string | undefined> {
  return optional((value: string, at) => {
    if (!supported.includes(value)) at.unsupported(value, supported);
  });
}

/** A text of the right shape; absent is right. */
export function shape(
  problemOf: (text: string) => Problem,
): Check<string | undefined> {
  return optional((value: string, at) => {
    const problem = problemOf(value);
    if (problem !== undefined) at.invalid(value, problem);
  });
}

/** A text that must be there, and then passes a check; empty counts as absent. */
export function required(
  check?: Check<string>,
): Check<string | undefined> {
  return (value, at) => {
    if (value === undefined || value === "") at.required();
    else check?.(value, at);
  };
}

/** A text that passes a check unless it is empty or absent. */
export function unlessEmpty(
  check: Check<string>,
): Check<string | undefined> {
  return optional((value: string, at) => {
    if (value !== "") check(value, at);
  });
}

/** A value whose absence is the same as some other value. */
export function defaulting<Value>(
  absent: NoInfer<Value>,
  check: Check<Value>,
): Check<Value | undefined> {
  return (value, at) => check(value ?? absent, at);
}

/** A number in a range, bounds included; absent is right. */
export function range(
  min: number,
  max: number = Infinity,
): Check<number | undefined> {
  return optional((value: number, at) => {
    if (value >= min && value <= max) return;
    at.invalid(
      value,
      max === Infinity
        ? `must be greater than or equal to ${min}`
        : `must be between ${min} and ${max}, inclusive`,
    );
  });
}

/**
 * Reports when not exactly one of the fields of an object is set that exclude each
 * other.
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
  readonly #seen = new Set<string | number>();

  /** Begins anew, as for the next list. */
  clear(): void {
    this.#seen.clear();
  }

  /** Reports a value that comes for the second time; empty is never a duplicate. */
  check(value: string | number | undefined, at: Place): void {
    if (value === undefined || value === "") return;
    if (this.#seen.has(value)) at.duplicate(value);
    this.#seen.add(value);
  }
}
