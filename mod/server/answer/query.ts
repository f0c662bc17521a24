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

/** A query that cannot be answered; its message is for the client. */
export class QueryError extends Error {
  override readonly name = "QueryError";
}

/** Says that a parameter has a value that it cannot have. */
export function badValue(
  name: string,
  value: string,
  wanted: string,
): QueryError {
  return new QueryError(
    `Cannot use ${name}: found ${quoted(value)}, wanted ${wanted}`,
  );
}

/**
 * Reads a switch as upstream's queries have it: its name alone turns it on.
 *
 * @throws {QueryError} When it is neither on nor off.
 */
export function readSwitch(name: string, value: string): boolean {
  if (["", "1", "true"].includes(value)) return true;
  if (["0", "false"].includes(value)) return false;
  throw badValue(name, value, "true or false");
}
