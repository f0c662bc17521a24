/**
 * Text of others that is safe to be shown on a terminal.
 *
 * @module
 */

/** Keeps what others wrote from moving the cursor, breaking the line or turning it round. */
export function cleanLine(text: string): string {
  return text.replace(UNSAFE, " ");
}

// Control characters, line ends, and marks that change the direction of what follows.
const UNSAFE =
  // deno-lint-ignore no-control-regex -- control characters are what is removed
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** How many columns of a terminal a line takes, about: fonts differ in the rarest signs. */
export function widthOf(line: string): number {
  // All that is narrow comes before the first sign that is wide or has no width.
  if (!MAYBE_UNEVEN.test(line)) return line.length;
  let width = 0;
  for (const character of line) {
    if (!NO_WIDTH.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

const MAYBE_UNEVEN = /[^ -\u02ff]/;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
// Most of what Unicode's EastAsianWidth calls wide or full-width.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
