/**
 * The rules of the house that no other tool keeps.
 *
 * @module
 */

import { findFunctions } from "./functions.ts";
import { findMessages, judgeMessage } from "./messages.ts";
import { judgeRegexp } from "./regexps.ts";
import { lineAt, scan, type Source } from "./scan.ts";

/** What a rule is called in the list of exceptions. */
export type RuleName =
  | "file_length"
  | "function_length"
  | "banned_word"
  | "file_name"
  | "module_text"
  | "todo"
  | "error_message"
  | "slow_regexp"
  | "shared_name"
  | "dead_link";

/** One place that breaks a rule. */
export interface Fault {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly rule: RuleName;
  /** What is wrong, and what to do instead. */
  readonly message: string;
}

/** A place that may break a rule. */
export interface Exception {
  readonly path: string;
  readonly rule: RuleName;
  /** The beginning of the messages that are excused; all when left out. */
  readonly message?: string;
  readonly reason: string;
}

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 60;

interface BannedWord {
  readonly pattern: RegExp;
  readonly message: string;
  /** Where the word is banned. */
  readonly applies: (path: string) => boolean;
  /** The line above that lets it pass, because lint has asked for a reason. */
  readonly excuse?: RegExp;
}

const inAgent = (path: string): boolean =>
  /^(?:mod\/|main\.ts$)/.test(path) && path !== "mod/base/clock.ts";
const everywhere = (): boolean => true;
const behindDoors = (path: string): boolean => !path.endsWith("/mod.ts");

const BANNED_WORDS: readonly BannedWord[] = [
  ban(/\bDate\.now\(/g, "take a Clock and call now()"),
  ban(/\bnew Date(?:\(\s*\)|(?=\s*[;,)\]}]))/g, "take a Clock and call now()"),
  ban(/\bperformance\.now\(/g, "take a Clock and call monotonic()"),
  ban(/\bsetTimeout\(/g, "take a Clock and call after() or sleep()"),
  ban(/\bsetInterval\(/g, "take a Clock and loop over sleep()"),
  ban(/\bAbortSignal\.timeout\(/g, "take a Clock and call deadline()"),
  ban(/\bMath\.random\(/g, "take a Random and call next()"),
  ban(/\bnew RegExp\(/g, "write a literal, whose cost is judged"),
  {
    pattern: /^[ \t]*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+\w/gm,
    message: "an enum; write a union of string literals",
    applies: everywhere,
  },
  {
    pattern: /^[ \t]*(?:export\s+)?(?:declare\s+)?namespace\s+[\w.]+\s*\{/gm,
    message: "a namespace; write a module",
    applies: everywhere,
  },
  {
    pattern: /\bexport\s+default\b|\bas\s+default\b/g,
    message: "a default export; give it a name",
    applies: everywhere,
  },
  {
    pattern:
      /\bexport\s+(?:type\s+)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})\s+from\b/g,
    message: "a re-export; only a door (mod.ts) has them",
    applies: behindDoors,
  },
  {
    pattern: /^[ \t]*import\s+(?:\*\s*as\s+)?assert\b/gm,
    message: 'all of "assert"; import names from "node:assert/strict"',
    applies: everywhere,
  },
  {
    pattern: /\bas\s+any\b|:\s*any\b|<any\b/g,
    message: 'the type "any"; take "unknown" and check it',
    applies: everywhere,
    excuse: /deno-lint-ignore no-explicit-any -- \S/,
  },
];

/** Lists what breaks a rule in one file, by line. */
export function findFaults(path: string, text: string): Fault[] {
  if (isGenerated(path)) return [];
  const source = scan(path, text);
  const faults = [
    ...judgeName(source),
    ...judgeModuleText(source),
    ...judgeLengths(source),
    ...findBannedWords(source),
    ...findTodos(source),
    ...findBadMessages(source),
    ...findSlowRegexps(source),
  ];
  return faults.sort((a, b) => a.line - b.line);
}

/**
 * Takes out what is excused, and adds a fault for each exception without use.
 *
 * So the list of exceptions can only get shorter.
 */
export function applyExceptions(
  faults: readonly Fault[],
  exceptions: readonly Exception[],
): Fault[] {
  const used = new Set<Exception>();
  const left = faults.filter((fault) => {
    const excuse = exceptions.find(({ path, rule, message = "" }) =>
      path === fault.path && rule === fault.rule &&
      fault.message.startsWith(message)
    );
    if (excuse !== undefined) used.add(excuse);
    return excuse === undefined;
  });
  const unused = exceptions.filter((exception) => !used.has(exception));
  return [
    ...left,
    ...unused.map(({ path, rule }) => ({
      path,
      line: 1,
      rule,
      message: "the exception is not needed; take it out of scripts/tidy.ts",
    })),
  ];
}

function ban(pattern: RegExp, replacement: string): BannedWord {
  const word = pattern.source.replace(/\\b|\(\?.*|\\/g, "").replace(/\($/, "");
  return { pattern, message: `${word}; ${replacement}`, applies: inAgent };
}

function isGenerated(path: string): boolean {
  return /^proto\/gen\/|^mod\/[\w/]+\/gen\//.test(path);
}

function judgeName({ path }: Source): Fault[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^(?:utils?|helpers?|common|types|index)\.ts$/.test(name)) {
    const message = `the name "${name}" says nothing; name the one thing in it`;
    return [{ path, line: 1, rule: "file_name", message }];
  }
  if (!/^[a-z0-9]+(?:_[a-z0-9]+)*\.ts$/.test(name)) {
    const message = `the name "${name}" is not in snake_case`;
    return [{ path, line: 1, rule: "file_name", message }];
  }
  if (
    /^tests\/(?:unit|component|e2e)\//.test(path) && !name.endsWith("_test.ts")
  ) {
    const message = "no test; what tests share lies in tests/support";
    return [{ path, line: 1, rule: "file_name", message }];
  }
  return [];
}

function judgeModuleText({ path, text, comments }: Source): Fault[] {
  // The name of a test says what it is about.
  if (path.endsWith("_test.ts")) return [];
  const first = comments[0];
  const starts = first !== undefined && text.startsWith("/**") &&
    /^ \* @module$/m.test(text.slice(first.start, first.end));
  if (starts) return [];
  const message = "no module text; begin with a doc comment that has @module";
  return [{ path, line: 1, rule: "module_text", message }];
}

function judgeLengths(source: Source): Fault[] {
  const { path, text } = source;
  const faults: Fault[] = [];
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  if (lines > MAX_FILE_LINES) {
    const message =
      `the file has ${lines} lines; split it, ${MAX_FILE_LINES} is the limit`;
    faults.push({ path, line: 1, rule: "file_length", message });
  }
  for (const { name, line, lines } of findFunctions(source)) {
    if (lines <= MAX_FUNCTION_LINES) continue;
    const message =
      `${name}() has ${lines} lines; split it, ${MAX_FUNCTION_LINES} is the limit`;
    faults.push({ path, line, rule: "function_length", message });
  }
  return faults;
}

function findBannedWords({ path, text, code }: Source): Fault[] {
  const lines = text.split("\n");
  const faults: Fault[] = [];
  for (const { pattern, message, applies, excuse } of BANNED_WORDS) {
    if (!applies(path)) continue;
    for (const match of code.matchAll(pattern)) {
      const line = lineAt(code, match.index + match[0].search(/\S/));
      if (excuse?.test(lines[line - 2] ?? "")) continue;
      faults.push({ path, line, rule: "banned_word", message });
    }
  }
  return faults;
}

function findTodos({ path, text, comments }: Source): Fault[] {
  return comments.flatMap(({ start, end }) =>
    Array.from(
      text.slice(start, end).matchAll(/\b(?:TODO\b(?!\(#\d+\))|FIXME|XXX)/g),
      (match): Fault => ({
        path,
        line: lineAt(text, start + match.index),
        rule: "todo",
        message: `${match[0]} without an issue; write TODO(#123), or do it`,
      }),
    )
  );
}

function findBadMessages(source: Source): Fault[] {
  const { path, text } = source;
  // The tests throw what they like.
  if (path.startsWith("tests/")) return [];
  return findMessages(source).flatMap((found): Fault[] => {
    const message = judgeMessage(found);
    if (message === undefined) return [];
    const line = lineAt(text, found.start);
    return [{ path, line, rule: "error_message", message }];
  });
}

/** The agent reads what others write: manifests, answers, logs, names of files. */
function findSlowRegexps({ path, text, regexps }: Source): Fault[] {
  if (!inAgent(path)) return [];
  return regexps.flatMap(({ start, end }): Fault[] => {
    const literal = text.slice(start, end);
    const why = judgeRegexp(literal);
    if (why === undefined) return [];
    const message =
      `${literal} can take the square of its input: ${why}; look by index`;
    const line = lineAt(text, start);
    return [{ path, line, rule: "slow_regexp", message }];
  });
}
