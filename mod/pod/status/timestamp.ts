/**
 * Points in time as pod status shows them: RFC 3339 in UTC, whole seconds.
 *
 * @module
 */

/** Writes milliseconds since the epoch; fractions of a second are cut off. */
export function formatTime(ms: number): string {
  const clamped = Math.min(Math.max(ms, MIN_MS), MAX_MS);
  return `${new Date(clamped).toISOString().slice(0, 19)}Z`;
}

/** Writes nanoseconds since the epoch, as the runtime gives them. */
export function formatNanos(ns: bigint): string {
  return formatTime(Number(ns / 1_000_000n));
}

/** Reads a timestamp; `undefined` when the text is none. */
export function parseTime(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

// RFC 3339 has four digits for the year; a runtime's nonsense must stay valid.
const MIN_MS = Date.parse("0001-01-01T00:00:00Z");
const MAX_MS = Date.parse("9999-12-31T23:59:59Z");
