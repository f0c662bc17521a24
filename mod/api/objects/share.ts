/**
 * Numbers that may be said as a share (upstream's IntOrString).
 *
 * @module
 */

/** What `3` or `"25%"` of a total is. */
export function shareOf(
  value: string | number,
  total: number,
  round: (value: number) => number,
): number {
  if (typeof value === "number") return value;
  const percent = Number(value.replace(/%$/, ""));
  return round(percent * total / 100);
}
