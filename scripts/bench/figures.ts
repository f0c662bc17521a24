/**
 * How figures are put together and printed.
 *
 * @module
 */

/** The middle one, of the mean of the two middle ones, of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.floor(sorted.length / 2);
  const high = sorted[at] ?? NaN;
  return sorted.length % 2 === 1 ? high : (high + (sorted[at - 1] ?? NaN)) / 2;
}

/** The smallest, the middle and the largest of some numbers. */
export function spread(
  values: readonly number[],
  unit: string,
  digits = 0,
): string {
  const shown = [Math.min(...values), median(values), Math.max(...values)];
  return `${shown.map((value) => value.toFixed(digits)).join(" / ")} ${unit}`;
}

/** How often one middle value is another. */
export function ratio(
  values: readonly number[],
  base: readonly number[],
): string {
  return `× ${(median(values) / median(base)).toFixed(2)}`;
}

/** What one middle value is above another. */
export function onTop(
  values: readonly number[],
  base: readonly number[],
): string {
  return `${(median(values) - median(base)).toFixed(0)} ms on top`;
}

/** Prints one figure beside what it is compared with. */
export type Report = (what: string, figure: string, compared?: string) => void;

/** Lays figures out in columns. */
export function reportTo(print: (line: string) => void): Report {
  return (what, figure, compared = "") =>
    print(`${what.padEnd(58)} ${figure.padStart(24)}  ${compared}`);
}
