/**
 * Tells which regular expressions take the square of their input's length, or worse.
 *
 * Two quantifiers that can match the same characters try every way to share them
 * before they fail. A pattern that is not bound to the beginning begins anew at each
 * character, which is such a quantifier as well.
 *
 * @module
 */

import { type Item, parseRegexp, type Sequence } from "./regexp_parts.ts";

/** A quantifier on the way through a pattern, and what it can match. */
interface Run {
  readonly kind: "run";
  readonly chars: ReadonlySet<string>;
}

/** What stands on the way: a run, one character that must be there, or an assertion. */
type Step =
  | Run
  | { readonly kind: "one"; readonly chars: ReadonlySet<string> }
  | { readonly kind: "assertion"; readonly isStart: boolean };

type Way = readonly Step[];

// A pattern of more alternatives has to be shown to be good by hand.
const MAX_WAYS = 4000;

/**
 * Says why a regular expression may take more steps than its input has characters;
 * nothing when it does not.
 *
 * @param literal with its slashes and flags
 */
export function judgeRegexp(literal: string): string | undefined {
  const end = literal.lastIndexOf("/");
  const flags = literal.slice(end + 1);
  let parsed: Sequence[];
  try {
    parsed = parseRegexp(literal.slice(1, end), flags);
  } catch (error) {
    return error instanceof SyntaxError ? error.message : String(error);
  }
  const ways = parsed.flatMap(waysThrough);
  if (ways.length > MAX_WAYS) {
    return "it has too many alternatives to be judged";
  }
  const isBound = flags.includes("y");
  for (const way of ways) {
    if (
      hasRivals(isBound || isAnchored(way, flags) ? way : [ANYTHING, ...way])
    ) {
      return "two of its quantifiers can match the same characters, or one can begin anywhere";
    }
  }
  return undefined;
}

/** Where a pattern that is not anchored begins: behind anything. */
const ANYTHING: Run = { kind: "run", chars: new Set(["anything"]) };

function isAnchored(way: Way, flags: string): boolean {
  const [first] = way;
  return first?.kind === "assertion" && first.isStart && !flags.includes("m");
}

/** Whether two runs can share what stands between them, and the way can fail behind. */
function hasRivals(way: Way): boolean {
  for (const [at, first] of way.entries()) {
    if (first.kind !== "run") continue;
    for (let to = at + 1; to < way.length - 1; to++) {
      const step = way[to];
      if (step === undefined || step.kind === "assertion") continue;
      if (!overlaps(first.chars, step.chars)) {
        // A run may be empty; a character holds the first back from all behind it.
        if (step.kind === "run") continue;
        break;
      }
      if (step.kind !== "run") continue;
      const isShared = way.slice(at + 1, to).every((each) =>
        each.kind !== "one" || overlaps(each.chars, step.chars)
      );
      if (isShared) return true;
    }
  }
  return false;
}

function overlaps(
  left: ReadonlySet<string>,
  right: ReadonlySet<string>,
): boolean {
  if (left === ANYTHING.chars || right === ANYTHING.chars) return true;
  return !left.isDisjointFrom(right);
}

/** Every way through a sequence: with each alternative, with and without what is optional. */
function waysThrough(sequence: Sequence): Way[] {
  let ways: Way[] = [[]];
  for (const item of sequence) {
    const next = waysOf(item);
    ways = ways.flatMap((way) => next.map((each) => [...way, ...each]));
    if (ways.length > MAX_WAYS) return ways;
  }
  return ways;
}

function waysOf(item: Item): Way[] {
  switch (item.kind) {
    case "assertion":
      return [[item]];
    case "set": {
      const { chars, min, isLong } = item;
      const one: Step = { kind: "one", chars };
      if (isLong) {
        return [
          min > 0 ? [one, { kind: "run", chars }] : [{ kind: "run", chars }],
        ];
      }
      return min > 0 ? [[one]] : [[], [one]];
    }
    case "group": {
      const once = item.alternatives.flatMap(waysThrough);
      const none: Way[] = item.min === 0 ? [[]] : [];
      if (!item.isLong) return [...none, ...once];
      const hasRun = once.some((way) => way.some(({ kind }) => kind === "run"));
      if (!hasRun) {
        const all = once.flat().flatMap((step) =>
          step.kind === "assertion" ? [] : [...step.chars]
        );
        return [[{ kind: "run", chars: new Set(all) }]];
      }
      // Twice shows whether the end of one round can be the beginning of the next.
      const twice = once.flatMap((way) =>
        once.map((again) => [...way, ...again])
      );
      return [...none, ...once, ...twice];
    }
  }
}
