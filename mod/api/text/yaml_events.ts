/**
 * YAML text to the events of js-yaml, with brackets closed where Kubernetes takes them.
 *
 * @module
 */

import { type Event, EVENT_ID, parseEvents, YAMLException } from "js-yaml";
import { UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { MAX_DEPTH, MAX_MANIFEST_BYTES } from "./source_text.ts";

/** What js-yaml says of a line that stands less deep than it must. */
export const TOO_SHALLOW = "deficient indentation";

/** What is read again at most, in characters, for brackets that close too early in their line. */
const MAX_READ_AGAIN = MAX_MANIFEST_BYTES;

/**
 * Splits a text into events; their positions are those of the text.
 *
 * YAML wants a bracket that closes deeper than the key before the one that opened, and so
 * does js-yaml. Kubernetes' reader does not, and people write
 *
 * ```yaml
 * command: [
 *   sleep,
 * ]
 * ```
 *
 * Such a bracket is read as if it stood behind the line before.
 *
 * @param options.maxDepth asked for again whenever the text is read again
 * @throws {YAMLException} When it is no YAML.
 */
export function yamlEvents(
  text: string,
  options: { readonly maxDepth?: () => number; readonly meter?: WorkMeter } =
    {},
): Event[] {
  const { maxDepth = () => MAX_DEPTH, meter = UNMETERED } = options;
  const brackets: number[] = [];
  let first: unknown;
  let read = text;
  for (let again = 0;; again += text.length) {
    let events: Event[];
    try {
      events = parseEvents(read, { maxDepth: maxDepth() });
    } catch (error) {
      const at = shallowBracket(error, read);
      const joined = at === undefined ? undefined : joinedBefore(read, at);
      if (at === undefined || joined === undefined) throw error;
      if (again > MAX_READ_AGAIN) throw error;
      meter.spend(text.length);
      first ??= error;
      brackets.push(at);
      read = joined;
      continue;
    }
    if (areOutside(brackets, events)) return events;
    throw first;
  }
}

/** Where a bracket closes that stands less deep than it must. */
function shallowBracket(error: unknown, text: string): number | undefined {
  if (!(error instanceof YAMLException)) return undefined;
  const { reason, mark } = error;
  if (reason !== TOO_SHALLOW || mark === undefined) return undefined;
  const { position } = mark;
  return "]}".includes(text[position] ?? " ") ? position : undefined;
}

/**
 * The text with blanks for all ends of lines and comments before a position, as long as
 * before; `undefined` when it is not certain where a comment begins.
 */
function joinedBefore(text: string, position: number): string | undefined {
  for (let end = position;;) {
    while (" \t\r\n".includes(text[end - 1] ?? "-")) end--;
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end);
    const comment = /(?:^|[ \t])#/.exec(line);
    if (comment === null) {
      const blanks = " ".repeat(position - end);
      return `${text.slice(0, end)}${blanks}${text.slice(position)}`;
    }
    // A hash in quotes is none.
    if (/['"]/.test(line.slice(0, comment.index))) return undefined;
    end = start + comment.index;
  }
}

/** Whether no value reaches over one of these positions: a quoted one may hold brackets. */
function areOutside(
  positions: readonly number[],
  events: readonly Event[],
): boolean {
  let next = 0;
  for (const event of events) {
    if (event.type !== EVENT_ID.SCALAR) continue;
    const { valueStart, valueEnd } = event;
    while ((positions[next] ?? Infinity) < valueStart) next++;
    if ((positions[next] ?? Infinity) < valueEnd) return false;
  }
  return true;
}
