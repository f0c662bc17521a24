/**
 * How JSONPath templates are written.
 *
 * @module
 */

/** One step of a path. */
export type PathPart =
  | { readonly kind: "root" }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "all" }
  /** A value and all that is in it. */
  | { readonly kind: "below" }
  | {
    readonly kind: "slice";
    readonly from: number | undefined;
    readonly to: number | undefined;
    readonly by: number;
  }
  | { readonly kind: "union"; readonly parts: readonly PathPart[] }
  | { readonly kind: "filter"; readonly term: FilterTerm };

/** What a filter compares. */
export type Operand =
  | { readonly kind: "value"; readonly value: string | number | boolean | null }
  | { readonly kind: "path"; readonly path: readonly PathPart[] };

/** What a filter demands; without an operator, that something is there. */
export type FilterTerm =
  | { readonly left: Operand; readonly operator: undefined }
  | {
    readonly left: Operand;
    readonly operator: Operator;
    readonly right: Operand;
  };

type Operator = typeof OPERATORS[number];
// The longer ones first, since they begin with shorter ones.
const OPERATORS = ["==", "!=", "<=", ">=", "<", ">"] as const;

/** One piece of a template. */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "path"; readonly path: readonly PathPart[] }
  | {
    readonly kind: "range";
    readonly path: readonly PathPart[];
    readonly body: readonly TemplatePart[];
  };

// More than a person types; what is in each other is walked by calls in each other.
const MAX_NESTED = 32;

/** Reads a template. @throws {SyntaxError} When it is none */
export function readTemplate(text: string): readonly TemplatePart[] {
  const cursor = new Cursor(text);
  const open: { readonly path: readonly PathPart[]; parts: TemplatePart[] }[] =
    [];
  let parts: TemplatePart[] = [];
  while (!cursor.isDone) {
    const plain = cursor.until("{");
    if (plain !== "") parts.push({ kind: "text", text: plain });
    if (!cursor.skip("{")) break;
    cursor.blanks();
    if (cursor.skipWord("range")) {
      if (open.length >= MAX_NESTED) throw cursor.bad("fewer ranges in ranges");
      open.push({ path: readPath(cursor), parts });
      parts = [];
    } else if (cursor.skipWord("end")) {
      const range = open.pop();
      if (range === undefined) throw cursor.bad("a range before this end");
      range.parts.push({ kind: "range", path: range.path, body: parts });
      parts = range.parts;
    } else parts.push(...readBlock(cursor));
    cursor.blanks();
    if (!cursor.skip("}")) throw cursor.bad("'}'");
  }
  if (open.length > 0) throw cursor.bad("{end}");
  return parts;
}

/** Reads a path alone: `.metadata.name`, with or without braces and the first dot. */
export function readLonePath(text: string): readonly PathPart[] {
  const isBraced = text.startsWith("{") && text.endsWith("}");
  const inner = isBraced ? text.slice(1, -1) : text;
  const hasBegin = [".", "[", "$", "@"].some((each) => inner.startsWith(each));
  const cursor = new Cursor(hasBegin ? inner : `.${inner}`);
  const path = readPath(cursor);
  if (!cursor.isDone) throw cursor.bad("the end");
  return path;
}

/** Compares as kubectl does: by number if both are numbers. */
export function compareValues(
  left: unknown,
  operator: Operator,
  right: unknown,
): boolean {
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  const isNumbers = typeof left === "number" && typeof right === "number";
  const isTexts = typeof left === "string" && typeof right === "string";
  if (!isNumbers && !isTexts) return false;
  switch (operator) {
    case "<":
      return left < right;
    case ">":
      return left > right;
    case "<=":
      return left <= right;
    case ">=":
      return left >= right;
  }
}

/** Texts and paths between braces. */
function readBlock(cursor: Cursor): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  do {
    const text = cursor.quoted();
    parts.push(
      text === undefined
        ? { kind: "path", path: readPath(cursor) }
        : { kind: "text", text },
    );
    cursor.blanks();
  } while (!cursor.isDone && cursor.peek() !== "}");
  return parts;
}

function readPath(cursor: Cursor): readonly PathPart[] {
  const parts: PathPart[] = [];
  cursor.blanks();
  const begin = cursor.at;
  if (cursor.skip("$")) parts.push({ kind: "root" });
  else cursor.skip("@");
  for (;;) {
    if (cursor.skip("..")) {
      parts.push({ kind: "below" });
      if (cursor.peek() !== "[") parts.push(readMember(cursor));
    } else if (cursor.peek() === "." && cursor.isPathEnd(1)) {
      // A lone dot is the value itself.
      cursor.skip(".");
      break;
    } else if (cursor.skip(".")) {
      if (cursor.peek() !== "[") parts.push(readMember(cursor));
    } else if (cursor.skip("[")) parts.push(readBrackets(cursor));
    else break;
  }
  if (cursor.at === begin) throw cursor.bad("a path such as .metadata.name");
  return parts;
}

function readMember(cursor: Cursor): PathPart {
  if (cursor.skip("*")) return { kind: "all" };
  const name = cursor.name();
  if (name === "") throw cursor.bad("the name of a field");
  return { kind: "field", name };
}

function readBrackets(cursor: Cursor): PathPart {
  cursor.blanks();
  if (cursor.skip("?(")) {
    const term = readTerm(cursor);
    cursor.blanks();
    if (!cursor.skip(")]")) throw cursor.bad("')]'");
    return { kind: "filter", term };
  }
  const parts: PathPart[] = [];
  do {
    cursor.blanks();
    parts.push(readIndex(cursor));
    cursor.blanks();
  } while (cursor.skip(","));
  if (!cursor.skip("]")) throw cursor.bad("']'");
  const [first] = parts;
  return parts.length === 1 && first !== undefined
    ? first
    : { kind: "union", parts };
}

function readIndex(cursor: Cursor): PathPart {
  if (cursor.skip("*")) return { kind: "all" };
  const name = cursor.quoted();
  if (name !== undefined) return { kind: "field", name };
  const from = cursor.integer();
  if (!cursor.skip(":")) {
    if (from === undefined) throw cursor.bad("a number, a name in quotes or *");
    const to = from === -1 ? undefined : from + 1;
    return { kind: "slice", from, to, by: 1 };
  }
  const to = cursor.integer();
  const by = cursor.skip(":") ? cursor.integer() : undefined;
  if (by !== undefined && by < 1) throw cursor.bad("a step of at least 1");
  return { kind: "slice", from, to, by: by ?? 1 };
}

function readTerm(cursor: Cursor): FilterTerm {
  const left = readOperand(cursor);
  cursor.blanks();
  const operator = OPERATORS.find((each) => cursor.skip(each));
  if (operator === undefined) return { left, operator };
  return { left, operator, right: readOperand(cursor) };
}

const WORDS = new Map([["true", true], ["false", false], ["null", null]]);

function readOperand(cursor: Cursor): Operand {
  cursor.blanks();
  const text = cursor.quoted();
  if (text !== undefined) return { kind: "value", value: text };
  const number = cursor.number();
  if (number !== undefined) return { kind: "value", value: number };
  for (const [word, value] of WORDS) {
    if (cursor.skipWord(word)) return { kind: "value", value };
  }
  cursor.nest(MAX_NESTED);
  const path = readPath(cursor);
  cursor.unnest();
  return { kind: "path", path };
}

const NAME_ENDS = " \t\n.[]{}()=!<>,:'\"";

/** Where a reader is in a template. */
class Cursor {
  at = 0;
  readonly #text: string;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isDone(): boolean {
    return this.at >= this.#text.length;
  }

  peek(): string {
    return this.#text.charAt(this.at);
  }

  /** Whether a path cannot go on so many characters from here. */
  isPathEnd(ahead: number): boolean {
    const next = this.#text.charAt(this.at + ahead);
    return next === "" || " \t\n}),]=!<>".includes(next);
  }

  skip(token: string): boolean {
    if (!this.#text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  /** A word with nothing of a name behind it. */
  skipWord(word: string): boolean {
    const next = this.#text.charAt(this.at + word.length);
    const isWhole = next === "" || NAME_ENDS.includes(next);
    return isWhole && this.skip(word);
  }

  blanks(): void {
    while (!this.isDone && this.peek().trim() === "") this.at++;
  }

  until(char: string): string {
    const end = this.#text.indexOf(char, this.at);
    const text = this.#text.slice(this.at, end === -1 ? undefined : end);
    this.at += text.length;
    return text;
  }

  /** The name of a field; a backslash takes the meaning from what follows. */
  name(): string {
    let name = "";
    while (!this.isDone && !NAME_ENDS.includes(this.peek())) {
      if (this.peek() === "\\") this.at++;
      name += this.peek();
      this.at++;
    }
    return name;
  }

  integer(): number | undefined {
    const begin = this.at;
    this.skip("-");
    const digits = this.at;
    while (this.#isDigit()) this.at++;
    if (this.at > digits) return Number(this.#text.slice(begin, this.at));
    this.at = begin;
    return undefined;
  }

  number(): number | undefined {
    const begin = this.at;
    const whole = this.integer();
    if (whole === undefined || !this.skip(".")) return whole;
    while (this.#isDigit()) this.at++;
    return Number(this.#text.slice(begin, this.at));
  }

  /** A text in single or double quotes, with the escapes of Go's for ends of lines. */
  quoted(): string | undefined {
    const quote = this.peek();
    if (quote !== '"' && quote !== "'") return undefined;
    let text = "";
    for (this.at++; this.peek() !== quote; this.at++) {
      if (this.isDone) throw this.bad(`the closing ${quote}`);
      if (this.peek() !== "\\") {
        text += this.peek();
        continue;
      }
      this.at++;
      text += ESCAPES[this.peek()] ?? this.peek();
    }
    this.at++;
    return text;
  }

  nest(most: number): void {
    if (++this.#depth > most) throw this.bad("fewer filters in filters");
  }

  unnest(): void {
    this.#depth--;
  }

  bad(wanted: string): SyntaxError {
    const found = this.isDone ? "its end" : `"${this.#text.slice(this.at)}"`;
    return new SyntaxError(
      `Cannot read the template "${this.#text}": found ${found}, wanted ${wanted}`,
    );
  }

  #isDigit(): boolean {
    const char = this.peek();
    return char >= "0" && char <= "9";
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
};
