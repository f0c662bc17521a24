/**
 * Source text with its comments and the insides of its strings told apart.
 *
 * @module
 */

/** A piece of the text: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A source file as the rules see it. */
export interface Source {
  /** Relative to the project, with slashes. */
  readonly path: string;
  readonly text: string;
  /**
   * The text with spaces for comments, for what is between quotes and for regular
   * expressions. Quotes and line ends stay, and so does every position.
   */
  readonly code: string;
  /** The comments, with their slashes. */
  readonly comments: readonly Span[];
  /** The strings and whole templates, with their quotes. */
  readonly strings: readonly Span[];
  /** The regular expressions, with their slashes and flags. */
  readonly regexps: readonly Span[];
}

/** Tells code, comments and strings apart, well enough for code that is formatted. */
export function scan(path: string, text: string): Source {
  const scanner = new Scanner(text);
  scanner.run();
  return {
    path,
    text,
    code: scanner.code(),
    comments: scanner.comments,
    strings: scanner.strings.sort((a, b) => a.start - b.start),
    regexps: scanner.regexps,
  };
}

/** The line that a position is on, counted from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  let at = text.indexOf("\n");
  while (at !== -1 && at < position) {
    line++;
    at = text.indexOf("\n", at + 1);
  }
  return line;
}

// After these a slash begins a regular expression; after anything else it divides.
const REGEXP_MAY_FOLLOW =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield|void|delete|throw|else|do))$/;

class Scanner {
  readonly comments: Span[] = [];
  readonly strings: Span[] = [];
  readonly regexps: Span[] = [];
  readonly #text: string;
  readonly #hidden: Span[] = [];
  // One entry for each `${` that is open: how many braces are open inside of it,
  // and where its template began.
  readonly #templates: { depth: number; readonly start: number }[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at];
      const pair = this.#text.slice(this.#at, this.#at + 2);
      if (pair === "//") this.#comment(this.#find("\n", 2));
      else if (pair === "/*") this.#comment(this.#find("*/", 2) + 2);
      else if (char === "/" && this.#regexpMayFollow()) this.#regexp();
      else if (char === '"' || char === "'") this.#string(char);
      else if (char === "`") this.#template(this.#at, this.#at + 1);
      else this.#plain(char);
    }
  }

  code(): string {
    const parts: string[] = [];
    let shown = 0;
    for (const { start, end } of this.#hidden) {
      parts.push(this.#text.slice(shown, start));
      parts.push(this.#text.slice(start, end).replace(/[^\n]/g, " "));
      shown = end;
    }
    parts.push(this.#text.slice(shown));
    return parts.join("");
  }

  #plain(char: string | undefined): void {
    const template = this.#templates.at(-1);
    this.#at++;
    if (template === undefined) return;
    if (char === "{") template.depth++;
    if (char !== "}" || template.depth-- > 0) return;
    this.#templates.pop();
    this.#template(template.start, this.#at);
  }

  #comment(end: number): void {
    const stop = Math.min(end, this.#text.length);
    this.comments.push({ start: this.#at, end: stop });
    this.#hide(this.#at, stop);
    this.#at = stop;
  }

  #string(quote: string): void {
    const start = this.#at;
    let at = start + 1;
    while (at < this.#text.length && this.#text[at] !== quote) {
      at += this.#text[at] === "\\" ? 2 : 1;
    }
    this.#hide(start + 1, at);
    this.strings.push({ start, end: at + 1 });
    this.#at = at + 1;
  }

  // Reads the words of the template that began at `start`, from `from` on.
  #template(start: number, from: number): void {
    let at = from;
    while (at < this.#text.length && this.#text[at] !== "`") {
      if (this.#text.startsWith("${", at)) {
        this.#hide(from, at + 1);
        this.#templates.push({ depth: 0, start });
        this.#at = at + 2;
        return;
      }
      at += this.#text[at] === "\\" ? 2 : 1;
    }
    this.#hide(from, at);
    this.strings.push({ start, end: at + 1 });
    this.#at = at + 1;
  }

  #regexp(): void {
    const start = this.#at;
    let inClass = false;
    let at = start + 1;
    for (; at < this.#text.length && this.#text[at] !== "\n"; at++) {
      const char = this.#text[at];
      if (char === "\\") at++;
      else if (char === "[") inClass = true;
      else if (char === "]") inClass = false;
      else if (char === "/" && !inClass) break;
    }
    this.#hide(start + 1, at);
    this.#at = at + 1;
    while (/[a-z]/.test(this.#text[this.#at] ?? "")) this.#at++;
    this.regexps.push({ start, end: this.#at });
  }

  #regexpMayFollow(): boolean {
    let end = this.#at;
    // What comes before, across spaces and comments.
    for (;;) {
      while (/\s/.test(this.#text[end - 1] ?? "")) end--;
      const comment = this.comments.at(-1);
      if (comment?.end !== end) break;
      end = comment.start;
    }
    return REGEXP_MAY_FOLLOW.test(this.#text.slice(Math.max(0, end - 12), end));
  }

  #find(wanted: string, offset: number): number {
    const found = this.#text.indexOf(wanted, this.#at + offset);
    return found === -1 ? this.#text.length : found;
  }

  #hide(start: number, end: number): void {
    this.#hidden.push({ start, end: Math.min(end, this.#text.length) });
  }
}
