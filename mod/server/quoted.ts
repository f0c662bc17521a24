/**
 * Words of a client in an answer to it.
 *
 * @module
 */

// Enough to see what was meant.
const MAX_SHOWN = 64;

/** A text in quotes, cut to a readable length. */
export function quoted(text: string): string {
  if (text.length <= MAX_SHOWN) return `"${text}"`;
  return `"${text.slice(0, MAX_SHOWN).toWellFormed()}…"`;
}
