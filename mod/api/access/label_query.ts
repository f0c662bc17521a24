/**
 * Label selectors as text: `app=web,tier in (front,back),!canary`.
 *
 * @module
 */

import type { LabelSelector } from "../workload/mod.ts";
import { ApiFailure } from "./access.ts";

type LabelTerm = NonNullable<LabelSelector["matchExpressions"]>[number];

/**
 * Reads a selector as `kubectl -l` and queries have it (upstream's labels.Parse, without
 * `<` and `>`). Nothing means all labels.
 *
 * @throws {ApiFailure} `BadRequest` when it is none.
 *
 * @example Three requirements
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { matchesLabels, parseLabelSelector } from "./mod.ts";
 *
 * const selector = parseLabelSelector("app=web,tier in (front,back),!canary");
 * strictEqual(matchesLabels(selector, { app: "web", tier: "back" }), true);
 * strictEqual(matchesLabels(selector, { app: "web" }), false);
 * ```
 */
export function parseLabelSelector(text: string): LabelSelector {
  const reader = new Reader(text);
  const matchExpressions: LabelTerm[] = [];
  if (reader.peek() === undefined) return {};
  do matchExpressions.push(readRequirement(reader)); while (reader.skip(","));
  if (reader.peek() !== undefined) throw reader.unexpected("',' or the end");
  return { matchExpressions };
}

function readRequirement(reader: Reader): LabelTerm {
  const isNot = reader.skip("!");
  const key = reader.word("a key");
  if (isNot) return { key, operator: "DoesNotExist" };
  const operator = reader.peek();
  switch (operator) {
    case undefined:
    case ",":
      return { key, operator: "Exists" };
    case "=":
    case "==":
    case "!=": {
      reader.next();
      const values = [reader.value()];
      return { key, operator: operator === "!=" ? "NotIn" : "In", values };
    }
    case "in":
    case "notin":
      reader.next();
      return {
        key,
        operator: operator === "in" ? "In" : "NotIn",
        values: readValues(reader),
      };
    default:
      throw reader.unexpected("'=', '==', '!=', 'in' or 'notin'");
  }
}

function readValues(reader: Reader): readonly string[] {
  if (!reader.skip("(")) throw reader.unexpected("'('");
  const values: string[] = [];
  do values.push(reader.value()); while (reader.skip(","));
  if (!reader.skip(")")) throw reader.unexpected("',' or ')'");
  return [...new Set(values)];
}

/** Goes through the tokens of a selector. */
class Reader {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  next(): void {
    this.#at++;
  }

  /** Whether the next token was this one, which is behind now. */
  skip(token: string): boolean {
    if (this.peek() !== token) return false;
    this.next();
    return true;
  }

  word(wanted: string): string {
    const token = this.peek();
    if (token === undefined || isSign(token)) throw this.unexpected(wanted);
    this.next();
    return token;
  }

  /** A value; empty where nothing stands. */
  value(): string {
    const token = this.peek();
    if (token === undefined || token === "," || token === ")") return "";
    return this.word("a value");
  }

  unexpected(wanted: string): ApiFailure {
    const found = this.peek();
    return new ApiFailure(
      "BadRequest",
      `Cannot read the label selector "${this.#text}": found ${
        found === undefined ? "its end" : `'${found}'`
      }, wanted ${wanted}`,
    );
  }
}

const SIGNS = "!=<>(),";

function isSign(token: string): boolean {
  return SIGNS.includes(token.charAt(0));
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  let word = "";
  const endWord = (): void => {
    if (word !== "") tokens.push(word);
    word = "";
  };
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (!SIGNS.includes(char) && char.trim() !== "") {
      word += char;
      continue;
    }
    endWord();
    if (char.trim() === "") continue;
    // Only these have two characters.
    const isLong = (char === "=" || char === "!") && text[at + 1] === "=";
    tokens.push(isLong ? `${char}=` : char);
    if (isLong) at++;
  }
  endWord();
  return tokens;
}
