/**
 * Sets of completion indexes as the API writes them: `0-3,5`.
 *
 * @module
 */

/** Indexes that follow each other, both ends included. */
export interface IndexRange {
  readonly first: number;
  readonly last: number;
}

/** Ranges in rising order that neither overlap nor touch. */
export type IndexSet = readonly IndexRange[];

/** The set of some numbers, in any order. */
export function indexSetOf(indexes: Iterable<number>): IndexSet {
  const ranges = [...new Set(indexes)].sort((a, b) => a - b)
    .map((index) => ({ first: index, last: index }));
  return joined(ranges);
}

/** What is in either set. */
export function unionOf(a: IndexSet, b: IndexSet): IndexSet {
  return joined([...a, ...b].sort((x, y) => x.first - y.first));
}

/** Joins ranges whose firsts rise. */
function joined(ranges: readonly IndexRange[]): IndexSet {
  const result: IndexRange[] = [];
  for (const range of ranges) {
    const before = result.at(-1);
    if (before === undefined || range.first > before.last + 1) {
      result.push(range);
    } else if (range.last > before.last) {
      result[result.length - 1] = { first: before.first, last: range.last };
    }
  }
  return result;
}

/** How many indexes are in a set. */
export function countIndexes(set: IndexSet): number {
  return set.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** How many indexes are in both sets. */
export function countCommon(a: IndexSet, b: IndexSet): number {
  return countIndexes(a) + countIndexes(b) - countIndexes(unionOf(a, b));
}

/** Whether an index is in a set. */
export function hasIndex(set: IndexSet, index: number): boolean {
  return set.some(({ first, last }) => first <= index && index <= last);
}

/** The lowest indexes below `completions` that are not in a set. */
export function missingIndexes(
  set: IndexSet,
  { count, completions }: {
    readonly count: number;
    readonly completions: number;
  },
): readonly number[] {
  const missing: number[] = [];
  let next = 0;
  const isFull = () => missing.length >= count;
  for (const { first, last } of set) {
    for (; next < Math.min(first, completions) && !isFull(); next++) {
      missing.push(next);
    }
    next = Math.max(next, last + 1);
  }
  for (; next < completions && !isFull(); next++) missing.push(next);
  return missing;
}

/** Writes a set as upstream: two neighbours with a comma, more with a hyphen. */
export function formatIndexes(set: IndexSet): string {
  return set.map(({ first, last }) => {
    if (first === last) return `${first}`;
    return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
  }).join(",");
}

/**
 * Reads what {@linkcode formatIndexes} wrote, without what is not below `completions`: a
 * Job can be made smaller. What is no range is left out.
 */
export function parseIndexes(
  text: string | undefined,
  completions: number,
): IndexSet {
  const ranges = (text ?? "").split(",").flatMap((part) => {
    const limits = part.split("-").map(wholeNumber);
    const first = limits[0];
    const last = limits.at(-1);
    if (first === undefined || last === undefined || limits.length > 2) {
      return [];
    }
    return first < completions && first <= last
      ? [{ first, last: Math.min(last, completions - 1) }]
      : [];
  });
  return joined(ranges.sort((a, b) => a.first - b.first));
}

/** A number of 32 bits without a sign; `undefined` for anything else. */
export function wholeNumber(text: string): number | undefined {
  if (!/^\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value < 2 ** 31 ? value : undefined;
}
