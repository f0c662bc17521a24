/**
 * Regular expressions taken apart, as far as it matters for what they cost.
 *
 * @module
 */

/** One part of a pattern, and how often it may come. */
export type Item =
  | ({
    readonly kind: "set";
    /** Those of a sample of all characters that it matches. */
    readonly chars: ReadonlySet<string>;
  } & Repeats)
  | (
    & { readonly kind: "group"; readonly alternatives: readonly Sequence[] }
    & Repeats
  )
  | { readonly kind: "assertion"; readonly isStart: boolean };

/** Parts that follow each other. */
export type Sequence = readonly Item[];

interface Repeats {
  readonly min: number;
  /** Whether it may come so often that it matters. */
  readonly isLong: boolean;
}

// Fewer repetitions are a constant.
const LONG = 64;

const SAMPLE: readonly string[] = [
  ...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)),
  ..."Ωж\u2028\u2029\u202e漢\uff01\ufeff",
];

/**
 * Takes a pattern apart into its alternatives.
 *
 * @throws {SyntaxError} When it has a part whose cost cannot be told.
 */
export function parseRegexp(pattern: string, flags: string): Sequence[] {
  const parser = new Parser(pattern, flags);
  return parser.alternatives();
}

class Parser {
  readonly #text: string;
  readonly #flags: string;
  #at = 0;

  constructor(text: string, flags: string) {
    this.#text = text;
    this.#flags = flags.replaceAll(/[gyd]/g, "");
  }

  alternatives(): Sequence[] {
    const all: Item[][] = [[]];
    for (; this.#at < this.#text.length && !this.#sees(")");) {
      if (this.#take("|")) all.push([]);
      else all.at(-1)?.push(this.#item());
    }
    return all;
  }

  #item(): Item {
    if (this.#take("^")) return { kind: "assertion", isStart: true };
    if (this.#take("$") || this.#take("\\b") || this.#take("\\B")) {
      return { kind: "assertion", isStart: false };
    }
    if (this.#take("(")) return this.#group();
    const chars = this.#set();
    return { kind: "set", chars, ...this.#repeats() };
  }

  #group(): Item {
    const isLook = ["?=", "?!", "?<=", "?<!"].some((look) => this.#take(look));
    if (!isLook && !this.#take("?:") && this.#sees("?")) {
      throw new SyntaxError("Cannot tell its cost: found a named group");
    }
    const alternatives = this.alternatives();
    this.#take(")");
    if (!isLook) return { kind: "group", alternatives, ...this.#repeats() };
    if (hasLong(alternatives)) {
      throw new SyntaxError(
        "Cannot tell its cost: found a look ahead or behind without a bound",
      );
    }
    return { kind: "assertion", isStart: false };
  }

  #set(): ReadonlySet<string> {
    const start = this.#at;
    if (this.#take("[")) {
      for (; !this.#sees("]"); this.#at++) if (this.#sees("\\")) this.#at++;
      this.#at++;
    } else if (this.#take("\\")) {
      const rest = this.#text.slice(this.#at);
      const escape =
        /^(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/s
          .exec(rest)?.[0] ?? "";
      if (/^[1-9k]/.test(escape)) {
        throw new SyntaxError(
          "Cannot tell its cost: found a reference back, which tries every way",
        );
      }
      this.#at += escape.length;
    } else this.#at++;
    const token = this.#text.slice(start, this.#at);
    const pattern = new RegExp(`^${token}$`, this.#flags.replace("m", ""));
    return new Set(SAMPLE.filter((char) => pattern.test(char)));
  }

  #repeats(): Repeats {
    const counted = /^\{(\d+)(,?)(\d*)\}/.exec(this.#text.slice(this.#at));
    let repeats: Repeats = { min: 1, isLong: false };
    if (this.#take("*")) repeats = { min: 0, isLong: true };
    else if (this.#take("+")) repeats = { min: 1, isLong: true };
    else if (this.#take("?")) repeats = { min: 0, isLong: false };
    else if (counted !== null) {
      const [whole, min, comma, max] = counted;
      this.#at += whole.length;
      const most = comma === ""
        ? Number(min)
        : max === ""
        ? Infinity
        : Number(max);
      repeats = { min: Number(min), isLong: most > LONG };
    } else return repeats;
    this.#take("?");
    return repeats;
  }

  #sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }
}

function hasLong(alternatives: readonly Sequence[]): boolean {
  return alternatives.some((sequence) =>
    sequence.some((item) =>
      item.kind !== "assertion" &&
      (item.isLong || (item.kind === "group" && hasLong(item.alternatives)))
    )
  );
}
