/**
 * Values of documents by the ways that lead to them.
 *
 * @module
 */

import { isRawObject, type RawValue, setOwn } from "../../api/text/mod.ts";

/** The names of fields and the numbers of items, from the outside. */
export type RawPath = readonly (string | number)[];

/** One change of a document: another value, or with `undefined` none any more. */
export interface RawEdit {
  readonly path: RawPath;
  readonly value: RawValue | undefined;
}

/** What stands at the end of a path; `undefined` when nothing does. */
export function rawAt(value: RawValue, path: RawPath): RawValue | undefined {
  let found: RawValue | undefined = value;
  for (const step of path) {
    if (typeof step === "number") {
      found = Array.isArray(found) ? found[step] : undefined;
    } else {
      found = isRawObject(found) && Object.hasOwn(found, step)
        ? found[step]
        : undefined;
    }
  }
  return found;
}

/** The value with one change; maps that are missing on the way are made. */
export function withEdit(value: RawValue | undefined, edit: RawEdit): RawValue {
  const { path: [step, ...rest], value: wanted } = edit;
  if (step === undefined) return wanted ?? null;
  const inner = (old: RawValue | undefined): RawValue =>
    rest.length === 0 && wanted !== undefined
      ? wanted
      : withEdit(old, { path: rest, value: wanted });
  const isRemoval = rest.length === 0 && wanted === undefined;
  if (typeof step === "number") {
    const list = Array.isArray(value) ? value : [];
    return isRemoval
      ? list.toSpliced(step, 1)
      : list.map((each, at) => at === step ? inner(each) : each);
  }
  const made: Record<string, RawValue> = {};
  const old = isRawObject(value) ? value : {};
  for (const [key, each] of Object.entries(old)) {
    if (key !== step) setOwn(made, key, each);
    else if (!isRemoval) setOwn(made, key, inner(each));
  }
  if (!Object.hasOwn(old, step) && !isRemoval) {
    setOwn(made, step, inner(undefined));
  }
  return made;
}

/** Whether two values are the same, whatever the order of the fields. */
export function isSameRaw(
  left: RawValue | undefined,
  right: RawValue | undefined,
): boolean {
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length &&
      left.every((each, at) => isSameRaw(each, right[at]));
  }
  if (isRawObject(left)) {
    if (!isRawObject(right)) return false;
    const keys = Object.keys(left);
    return keys.length === Object.keys(right).length &&
      keys.every((key) =>
        Object.hasOwn(right, key) && isSameRaw(left[key], right[key])
      );
  }
  return left === right;
}

/**
 * The changes that make one value of another, as small as they can be: a list of
 * another length is one change.
 */
export function editsBetween(
  before: RawValue | undefined,
  after: RawValue | undefined,
  path: RawPath = [],
): readonly RawEdit[] {
  if (isSameRaw(before, after)) return [];
  if (isRawObject(before) && isRawObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) =>
      editsBetween(rawAt(before, [key]), rawAt(after, [key]), [...path, key])
    );
  }
  if (
    Array.isArray(before) && Array.isArray(after) &&
    before.length === after.length
  ) {
    return before.flatMap((each, at) =>
      editsBetween(each, after[at], [...path, at])
    );
  }
  return [{ path, value: after }];
}
