/**
 * Durations as people and configuration files write them.
 *
 * @module
 */

import { trimEndOf } from "./trim_end.ts";

const NS_PER_MS = 1_000_000n;
const NS_PER_UNIT: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // The micro sign and the Greek letter, which look the same.
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: NS_PER_MS,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
// Go keeps durations in a signed 64-bit number of nanoseconds.
const MAX_NS = 2n ** 63n - 1n;

const TERM = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/**
 * Reads a duration in Go's syntax, such as `1m30s`, `1.5h` or `0`.
 *
 * @returns Milliseconds, with a fraction where the text has one.
 * @throws {SyntaxError} When the text is not a duration, or is beyond 292 years.
 *
 * @example As configuration files have it
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { parseDuration } from "./duration.ts";
 *
 * strictEqual(parseDuration("1m30s"), 90_000);
 * ```
 */
export function parseDuration(text: string): number {
  const negative = text.startsWith("-");
  const digits = negative || text.startsWith("+") ? text.slice(1) : text;
  if (digits === "0") return 0;
  if (digits === "") throw unreadable(text);
  let ns = 0n;
  TERM.lastIndex = 0;
  while (TERM.lastIndex < digits.length) {
    const term = TERM.exec(digits);
    if (term === null) throw unreadable(text);
    const [, whole = "", fraction = "", unit = ""] = term;
    const scale = NS_PER_UNIT[unit];
    if (scale === undefined || whole + fraction === "") throw unreadable(text);
    // A fraction finer than a nanosecond is cut off.
    ns += BigInt(whole) * scale +
      BigInt(fraction) * scale / 10n ** BigInt(fraction.length);
    if (ns > MAX_NS) throw unreadable(text);
  }
  const ms = Number(ns / NS_PER_MS) + Number(ns % NS_PER_MS) / 1e6;
  return negative ? -ms : ms;
}

/**
 * Writes a duration the way Go does: `10s`, `5m0s`, `1.5s`, `250ms`, `0s`.
 *
 * @throws {RangeError} When `ms` is not finite.
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) {
    throw new RangeError(
      `Cannot write a duration: "${ms}" was given, a finite number is needed`,
    );
  }
  const sign = ms < 0 ? "-" : "";
  const whole = Math.trunc(Math.abs(ms));
  const ns = BigInt(whole) * NS_PER_MS +
    BigInt(Math.round((Math.abs(ms) - whole) * 1e6));
  if (ns === 0n) return "0s";
  if (ns < 1_000n) return `${sign}${ns}ns`;
  if (ns < NS_PER_MS) return `${sign}${decimal(ns, 3)}\u00b5s`;
  if (ns < 1_000_000_000n) return `${sign}${decimal(ns, 6)}ms`;
  const minutes = ns / 60_000_000_000n;
  const seconds = `${decimal(ns % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/**
 * Writes an age the way kubectl does: `45s`, `3m12s`, `5h`, `2d`.
 *
 * The older, the coarser. The steps are those of `HumanDuration` in
 * k8s.io/apimachinery; a little clock skew counts as no age.
 */
export function formatAge(ms: number): string {
  const count = (unitMs: number): number => Math.trunc(ms / unitMs);
  if (!(count(SECOND_MS) >= -1)) return "<invalid>";
  if (ms < 0) return "0s";
  if (ms < 2 * MINUTE_MS) return `${count(SECOND_MS)}s`;
  if (ms < 10 * MINUTE_MS) {
    return pair(count(MINUTE_MS), "m", count(SECOND_MS) % 60, "s");
  }
  if (ms < 3 * HOUR_MS) return `${count(MINUTE_MS)}m`;
  if (ms < 8 * HOUR_MS) {
    return pair(count(HOUR_MS), "h", count(MINUTE_MS) % 60, "m");
  }
  if (ms < 2 * DAY_MS) return `${count(HOUR_MS)}h`;
  if (ms < 8 * DAY_MS) {
    return pair(count(DAY_MS), "d", count(HOUR_MS) % 24, "h");
  }
  if (ms < 2 * YEAR_MS) return `${count(DAY_MS)}d`;
  if (ms < 8 * YEAR_MS) {
    return pair(count(YEAR_MS), "y", count(DAY_MS) % 365, "d");
  }
  return `${count(YEAR_MS)}y`;
}

function unreadable(text: string): SyntaxError {
  return new SyntaxError(
    `Cannot read duration "${text}": a number with a unit is needed, such as "1m30s"`,
  );
}

// `scaled` divided by ten to the power of `places`, without zeros at the end.
function decimal(scaled: bigint, places: number): string {
  const digits = scaled.toString().padStart(places + 1, "0");
  const whole = digits.slice(0, -places);
  const fraction = trimEndOf(digits.slice(-places), "0");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

function pair(
  large: number,
  largeUnit: string,
  small: number,
  smallUnit: string,
): string {
  const rest = small === 0 ? "" : `${small}${smallUnit}`;
  return `${large}${largeUnit}${rest}`;
}
