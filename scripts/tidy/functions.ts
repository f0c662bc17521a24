/**
 * Where functions begin and end, found by their brackets.
 *
 * @module
 */

import { lineAt, type Source } from "./scan.ts";

/** A function, method or named arrow function with a body. */
export interface FoundFunction {
  readonly name: string;
  /** The first line of its declaration, counted from 1. */
  readonly line: number;
  /** How many lines it has, its declaration included. */
  readonly lines: number;
}

// `function f(`, `f = (`, and `f(` where a member of a class or an object begins.
// What they find beside declarations, such as calls, has no body behind it.
const DECLARATIONS: readonly RegExp[] = [
  /\bfunction\b\s*\*?\s*(?<name>[\w$]*)\s*(?=[<(])/g,
  /\b(?:const|let)\s+(?<name>[\w$]+)\s*(?::[^=;]*)?=\s*(?:async\s+)?(?=[<(])/g,
  /^[ \t]+(?:(?:static|async|override|get|set|accessor)[ \t]+)*\*?[ \t]*(?<name>#?[\w$]+|\[[\w.]+\])\s*(?=[<(])/gm,
];

const NOT_A_METHOD: ReadonlySet<string> = new Set([
  "if",
  "for",
  "while",
  "switch",
  "catch",
  "return",
  "function",
  "with",
  "super",
  "await",
  "typeof",
  "new",
  "throw",
  "yield",
  "void",
]);

const CLOSING: Readonly<Record<string, string>> = {
  "(": ")",
  "[": "]",
  "{": "}",
  "<": ">",
};

/** Finds every declared function with its length; callbacks are part of theirs. */
export function findFunctions(source: Source): FoundFunction[] {
  const found = new Map<number, FoundFunction>();
  for (const pattern of DECLARATIONS) {
    for (const match of source.code.matchAll(pattern)) {
      const name = match.groups?.["name"] ?? "";
      if (NOT_A_METHOD.has(name)) continue;
      const open = findBody(source.code, match.index + match[0].length);
      if (open === undefined || found.has(open)) continue;
      const close = matchBracket(source.code, open);
      const start = match.index + match[0].search(/\S/);
      const line = lineAt(source.code, start);
      const lines = lineAt(source.code, close) - line + 1;
      found.set(open, {
        name: name === "" ? "(anonymous)" : name,
        line,
        lines,
      });
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line);
}

// From the brackets of the parameters to the brace of the body, if there is one.
function findBody(code: string, parameters: number): number | undefined {
  let at = parameters;
  if (code[at] === "<") at = skipSpace(code, matchBracket(code, at) + 1);
  if (code[at] !== "(") return undefined;
  at = skipSpace(code, matchBracket(code, at) + 1);
  if (code[at] === ":") at = skipType(code, at + 1);
  if (code.startsWith("=>", at)) at = skipSpace(code, at + 2);
  return code[at] === "{" ? at : undefined;
}

// Passes over a return type; a brace that follows a finished type is the body.
function skipType(code: string, from: number): number {
  let finished = false;
  let at = skipSpace(code, from);
  while (at < code.length) {
    const char = code[at] ?? "";
    if (code.startsWith("=>", at)) {
      // The arrow of a function type has a type behind it, not a body.
      const next = skipSpace(code, at + 2);
      if (code[next] === "{" || !finished) return at;
      at = next;
      finished = false;
    } else if (char === "{" && finished) {
      return at;
    } else if (char in CLOSING) {
      at = skipSpace(code, matchBracket(code, at) + 1);
      finished = true;
    } else if (/[\w$#.]/.test(char)) {
      const word = /^[\w$#.]+/.exec(code.slice(at, at + 200))?.[0] ?? char;
      at = skipSpace(code, at + word.length);
      finished = !/^(?:is|asserts|keyof|readonly|extends|typeof|infer|unique)$/
        .test(word);
    } else if (char === '"' || char === "'" || char === "`") {
      const close = code.indexOf(char, at + 1);
      at = skipSpace(code, (close === -1 ? code.length : close) + 1);
      finished = true;
    } else if (char === "|" || char === "&" || char === "?" || char === ":") {
      at = skipSpace(code, at + 1);
      finished = false;
    } else {
      return at;
    }
  }
  return at;
}

// The position of the bracket that closes the one at `open`.
function matchBracket(code: string, open: number): number {
  const opening = code[open] ?? "";
  const closing = CLOSING[opening] ?? "";
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === opening) depth++;
    // The head of an arrow closes no type parameter.
    const isArrow = closing === ">" && code[at - 1] === "=";
    if (code[at] === closing && !isArrow && --depth === 0) return at;
  }
  return code.length;
}

function skipSpace(code: string, from: number): number {
  let at = from;
  while (/\s/.test(code[at] ?? "")) at++;
  return at;
}
