/**
 * What a YAML scalar means to Kubernetes: the rules of go-yaml v2 as
 * sigs.k8s.io/yaml uses them, which are YAML 1.1 with exceptions.
 *
 * `0644` and `0o644` are 420, `yes`, `on` and `y` are booleans, dates and `22:22`
 * stay strings.
 *
 * @module
 */

import { clipText } from "../fault/mod.ts";

/** What a scalar stands for. An integer beyond 2^53 is a bigint. */
export type Scalar = string | number | bigint | boolean | null;

/** The tag prefix that `!!` stands for. */
const CORE_TAG = "tag:yaml.org,2002:";

/**
 * The value of a plain scalar without a tag.
 *
 * `.nan` and `.inf` come out as such; nothing in Kubernetes can hold them.
 */
export function resolvePlain(text: string): Scalar {
  switch (HINTS[text.charCodeAt(0)]) {
    case "word": {
      const word = WORDS.get(text);
      return word === undefined ? text : word;
    }
    case "number":
      return resolveNumber(text) ?? text;
    default:
      return text.length === 0 ? null : text;
  }
}

/** A tag is unknown, or a text does not fit it. */
export class TagError extends SyntaxError {
  /** What is said before anything of the text is quoted; `undefined` when nothing is. */
  readonly unquoted: string | undefined;

  constructor(said: string, quote?: string) {
    super(quote === undefined ? said : `${said} ${quote}`);
    this.unquoted = quote === undefined ? undefined : said;
  }
}

/**
 * The value of a scalar with an explicit tag.
 *
 * @throws {TagError} When the tag is unknown or the text does not fit it.
 */
export function resolveTagged(tag: string, text: string): Scalar {
  const name = tagName(tag);
  const value = resolvePlain(text);
  switch (name) {
    case "str":
      return text;
    // Upstream leaves timestamps as they are written.
    case "timestamp":
      return text;
    case "null":
      if (value === null) return null;
      break;
    case "bool":
      if (typeof value === "boolean") return value;
      break;
    case "int":
      if (typeof value === "bigint" || Number.isInteger(value)) return value;
      break;
    case "float":
      if (typeof value === "number" || typeof value === "bigint") return value;
      break;
    case "binary":
      return decodeBinary(text);
    default:
      throw new TagError("Unsupported value: tag", `"${clipText(tag)}"`);
  }
  const quote = `"${clipText(text)}" does not fit the tag "${clipText(tag)}"`;
  throw new TagError("Invalid value:", quote);
}

/** The short name of a core tag, `str` for `!!str` and `!`; `undefined` for any other tag. */
export function tagName(tag: string): string | undefined {
  if (tag === "!") return "str";
  if (tag.startsWith("!!")) return tag.slice(2);
  const verbatim = `!<${CORE_TAG}`;
  if (tag.startsWith(verbatim)) return tag.slice(verbatim.length, -1);
  return undefined;
}

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...wordsFor(true, "y Y yes Yes YES true True TRUE on On ON"),
  ...wordsFor(false, "n N no No NO false False FALSE off Off OFF"),
  ...wordsFor(null, "~ null Null NULL"),
]);

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ...wordsFor(NaN, ".nan .NaN .NAN"),
  ...wordsFor(Infinity, ".inf .Inf .INF +.inf +.Inf +.INF"),
  ...wordsFor(-Infinity, "-.inf -.Inf -.INF"),
]);

function wordsFor<Value>(value: Value, words: string): [string, Value][] {
  return words.split(" ").map((word) => [word, value]);
}

// By first character, as most scalars are plain words and need no pattern.
const HINTS: readonly ("word" | "number" | undefined)[] = (() => {
  const hints = new Array<"word" | "number" | undefined>(128).fill(undefined);
  for (const letter of "yYnNtTfFoO~") hints[letter.charCodeAt(0)] = "word";
  for (const letter of "+-.0123456789") hints[letter.charCodeAt(0)] = "number";
  return hints;
})();

/** Go's ParseInt with base 0, underscores taken out before. */
const INTEGER =
  /^([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** No integer that anything accepts has more digits; longer ones are floats. */
const MAX_DIGITS = 64;

function resolveNumber(text: string): number | bigint | undefined {
  const special = SPECIAL.get(text);
  if (special !== undefined) return special;
  // Upstream reads ".5" by another way, which knows no underscores.
  const plain = text.includes("_") && !text.startsWith(".")
    ? text.replaceAll("_", "")
    : text;
  const integer = plain.length <= MAX_DIGITS ? INTEGER.exec(plain) : null;
  if (integer !== null) return integerOf(integer);
  if (!FLOAT.test(plain)) return undefined;
  const value = Number(plain);
  // Out of range is a string to upstream, too.
  return Number.isFinite(value) ? value : undefined;
}

function integerOf(match: RegExpExecArray): number | bigint {
  const [, sign, hex, binary, octal, decimal = "0"] = match;
  const digits = hex !== undefined
    ? `0x${hex}`
    : binary !== undefined
    ? `0b${binary}`
    : octal !== undefined
    ? `0o${octal}`
    : decimal;
  const value = Number(digits);
  if (Number.isSafeInteger(value)) {
    return sign === "-" && value !== 0 ? -value : value;
  }
  return sign === "-" ? -BigInt(digits) : BigInt(digits);
}

function decodeBinary(text: string): string {
  const packed = text.replace(/[\r\n]/g, "");
  if (
    packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)
  ) {
    throw new TagError("Invalid value: !!binary wants base64");
  }
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}
