/**
 * Finds what a misspelt word was probably meant to be.
 *
 * @module
 */

/**
 * The candidate nearest to `word`: the same but for upper and lower case, else at
 * most a third of its letters (and at least two) away; `undefined` when none is.
 *
 * @example
 * ```ts
 * import { suggest } from "./suggest.ts";
 * import { strictEqual } from "node:assert/strict";
 *
 * strictEqual(suggest("restatPolicy", ["dnsPolicy", "restartPolicy"]), "restartPolicy");
 * ```
 */
export function suggest(
  word: string,
  candidates: Iterable<string>,
): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance && distance < candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Longer words are no misspelling of a field. */
const MAX_LENGTH = 64;

/** Insertions, deletions, changes and swaps of neighbours from one word to the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
      );
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] &&
        a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, at(beforeLast, j - 2) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
