/**
 * Distinguishing a map from other decoded values.
 *
 * @module
 */

/** Whether a decoded value is a map: an object, but no list. */
export function isRecord(
  value: unknown,
): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
