/**
 * Finding who alters what is shared.
 *
 * @module
 */

/**
 * Makes an object and everything in it unalterable, so that whoever tries fails at the
 * very place; upstream's cache mutation detector only finds afterwards that it was done.
 * For tests: it looks at every value.
 */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) {
    return value;
  }
  Object.freeze(value);
  for (const part of Object.values(value)) freezeDeep(part);
  return value;
}
