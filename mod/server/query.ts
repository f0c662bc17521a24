/**
 * What a client writes in a query, and how an answer repeats it.
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

/**
 * Reads a switch as upstream's queries have it: its name alone turns it on. `undefined`
 * when it is neither on nor off.
 */
export function readSwitch(value: string): boolean | undefined {
  if (["", "1", "true"].includes(value)) return true;
  return ["0", "false"].includes(value) ? false : undefined;
}

/** A query that cannot be answered, and why. */
export interface RefusedQuery {
  readonly kind: "refused";
  readonly message: string;
}

/** Says that a parameter has a value that it cannot have. */
export function refuseValue(
  name: string,
  value: string,
  wanted: string,
): RefusedQuery {
  const message = `Cannot use ${name}: found ${
    quoted(value)
  }, wanted ${wanted}`;
  return { kind: "refused", message };
}
