/**
 * Errors in words that fit on one line of a log or of an event.
 *
 * @module
 */

// Deep enough for real chains; a chain that bites its tail ends here as well.
const MAX_CAUSES = 8;
// Enough to see what went wrong when a hundred things did.
const MAX_SIBLINGS = 5;

/**
 * Says what went wrong in one line: the message and those of its causes.
 *
 * A cause that the message above already quotes is not said twice. Never throws,
 * whatever was thrown.
 *
 * @example Two errors, one line
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { describeError } from "./describe_error.ts";
 *
 * const cause = new Error("Connection refused");
 * const error = new Error("Cannot list pods", { cause });
 * strictEqual(describeError(error), "Cannot list pods: Connection refused");
 * ```
 */
export function describeError(error: unknown): string {
  try {
    return oneLine(chain(error, MAX_CAUSES));
  } catch {
    // A getter or a `toString` of the thrown value threw in its turn.
    return "An error that cannot be described";
  }
}

function chain(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return describeValue(error);
  let text = error.message === "" ? error.name : error.message;
  if (depth === 0) return text;
  if (error instanceof AggregateError && error.errors.length > 0) {
    text += ` (${describeSiblings(error.errors, depth - 1)})`;
  }
  if (error.cause === undefined || error.cause === null) return text;
  const cause = chain(error.cause, depth - 1);
  return text.includes(cause) ? text : `${text}: ${cause}`;
}

function describeSiblings(errors: readonly unknown[], depth: number): string {
  const shown = errors.slice(0, MAX_SIBLINGS).map((each) => chain(each, depth));
  const more = errors.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

function describeValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  // Some libraries throw bare objects that carry a message.
  if ("message" in value && typeof value.message === "string") {
    return value.message;
  }
  return JSON.stringify(value) ?? String(value);
}

/** Puts one blank for each end of a line and the blanks beside it. */
function oneLine(text: string): string {
  return text.split(LINE_END).map((line) => line.trim())
    .filter((line) => line !== "").join(" ");
}

const LINE_END = /[\r\n\u2028\u2029]/;
