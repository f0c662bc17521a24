/**
 * How the words of an error ought to look.
 *
 * @module
 */

import type { Source } from "./scan.ts";

/** The words that an error is made with. */
export interface ErrorMessage {
  /** Where its expression begins in the text. */
  readonly start: number;
  /** The words up to the first value put in; undefined when a value comes first. */
  readonly opening: string | undefined;
  /** The words after the last value put in; undefined when a value comes last. */
  readonly ending: string | undefined;
  /** All words of it, without the values. */
  readonly words: string;
}

const CONTRACTION =
  /\b[a-z]+n['’]t\b|\b(?:it|that|there|here|what|who|let)['’]s\b|\b[a-z]+['’](?:re|ve|ll)\b|\bI['’][a-z]+\b/i;

const PLATFORM_ERRORS: ReadonlySet<string> = new Set([
  "DOMException",
  "Error",
  "InvariantError",
  "RangeError",
  "SyntaxError",
  "TypeError",
]);

/** Says what is wrong with the words of an error; undefined when nothing is. */
export function judgeMessage(message: ErrorMessage): string | undefined {
  const { opening, ending, words } = message;
  if (opening !== undefined && /^\p{Ll}/u.test(opening)) {
    return 'the message begins in lower case; write "Cannot do x: what was found"';
  }
  if (ending !== undefined && /[^.]\.$|^\.$/.test(ending)) {
    return "the message ends with a full stop; leave it out";
  }
  const contraction = CONTRACTION.exec(words)?.[0];
  if (contraction !== undefined) {
    return `the message says "${contraction}"; write both words`;
  }
  return undefined;
}

/** Finds the messages that are written where an error is made. */
export function findMessages(source: Source): ErrorMessage[] {
  const made =
    /\bnew\s+(?:\w+\.)*(?<name>\w*Error|DOMException)\s*\(\s*(?=["'`])/g;
  const messages: ErrorMessage[] = [];
  for (const match of source.code.matchAll(made)) {
    const read = readWords(source, match.index + match[0].length);
    // The first argument of other classes may be a verb or a path; it is the
    // message if it stands alone, or before the options.
    const isMessage = PLATFORM_ERRORS.has(match.groups?.["name"] ?? "") ||
      /^\s*(?:,\s*)?(?:\)|,\s*\{)/.test(source.code.slice(read.end));
    if (isMessage) messages.push({ ...read, start: match.index });
  }
  return [...messages, ...findDetails(source)];
}

// A CriError puts the method before its detail, which may begin in lower case.
function findDetails(source: Source): ErrorMessage[] {
  if (!source.code.includes("new CriError(")) return [];
  return Array.from(
    source.code.matchAll(/\bdetail:\s*(?=["'`])/g),
    ({ index, 0: { length } }) => ({
      ...readWords(source, index + length),
      start: index,
      opening: undefined,
    }),
  );
}

// Reads the strings that begin at `start` and are joined by plus signs.
function readWords(
  source: Source,
  start: number,
): Omit<ErrorMessage, "start"> & { readonly end: number } {
  const pieces: string[] = [];
  let end = start;
  for (let next: number | undefined = start; next !== undefined;) {
    const literal = source.strings.find((span) => span.start === next);
    if (literal === undefined) break;
    pieces.push(source.text.slice(literal.start + 1, literal.end - 1));
    end = literal.end;
    const joint = /^\s*\+\s*/.exec(source.code.slice(end, end + 200));
    next = joint === null ? undefined : end + joint[0].length;
  }
  const parts = splitTemplate(pieces.join(""));
  const endsHere = !/^\s*\+/.test(source.code.slice(end, end + 200));
  return {
    opening: parts.at(0) || undefined,
    ending: endsHere ? parts.at(-1) || undefined : undefined,
    words: parts.join(" "),
    end,
  };
}

// The words before, between and after the values of a template.
function splitTemplate(template: string): string[] {
  const parts: string[] = [];
  let words = "";
  for (let at = 0; at < template.length; at++) {
    if (!template.startsWith("${", at)) {
      words += template[at];
      continue;
    }
    let depth = 0;
    for (at++; at < template.length; at++) {
      if (template[at] === "{") depth++;
      if (template[at] === "}" && --depth === 0) break;
    }
    parts.push(words);
    words = "";
  }
  return [...parts, words];
}
