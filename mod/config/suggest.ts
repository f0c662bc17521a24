/**
 * Finds the known word that somebody most likely meant.
 *
 * @module
 */

/**
 * Returns the known word nearest to `word`, or `undefined` when none is near.
 *
 * Near is a third of the word's letters changed at most, so that a suggestion
 * is a help and not a guess. Upper and lower case count as equal.
 */
export function suggest(
  word: string,
  known: Iterable<string>,
): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Counts insertions, deletions and replacements between two words. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) +
        (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(
        replaced,
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      ));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
