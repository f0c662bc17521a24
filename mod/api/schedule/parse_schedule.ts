/**
 * From the text of a schedule to the times that it means.
 *
 * @module
 */

import { parseDuration } from "../../base/text/mod.ts";
import { clipText } from "../fault/mod.ts";

/** When a CronJob makes its Jobs. */
export type Schedule =
  | {
    readonly kind: "calendar";
    readonly minutes: ReadonlySet<number>;
    readonly hours: ReadonlySet<number>;
    /** Counted from 1. */
    readonly days: ReadonlySet<number>;
    /** Counted from 1. */
    readonly months: ReadonlySet<number>;
    /** Counted from Sunday, which is 0. */
    readonly weekdays: ReadonlySet<number>;
    /** Whether a day must be of both kinds; else one is enough, as in every cron. */
    readonly needsBothDays: boolean;
  }
  | { readonly kind: "every"; readonly periodMs: number };

/**
 * Reads a schedule as the API server's CronJobs do (robfig/cron, ParseStandard): five
 * fields with lists, ranges, steps and English names, or a name such as `@hourly`, or
 * `@every` with a duration.
 *
 * A time zone is no part of it: the CronJob has a field for that.
 *
 * @throws {SyntaxError} When it is none, saying what is wrong.
 */
export function parseSchedule(text: string): Schedule {
  if (text.length > MAX_TEXT) {
    throw new SyntaxError(
      `Wanted at most ${MAX_TEXT} characters, found ${text.length}`,
    );
  }
  const words = text.split(/\s/).filter((word) => word !== "");
  const [first = ""] = words;
  if (first === "") throw new SyntaxError("Wanted five fields, found none");
  if (first.startsWith("TZ=") || first.startsWith("CRON_TZ=")) {
    throw new SyntaxError(
      "Cannot use TZ or CRON_TZ in a schedule, use `timeZone` instead",
    );
  }
  if (first.startsWith("@")) return named(words);
  if (words.length !== FIELDS.length) {
    throw new SyntaxError(
      `Wanted five fields, found ${words.length}: ${quoted(text)}`,
    );
  }
  const [minutes, hours, days, months, weekdays] = words.map((word, at) =>
    readField(word, FIELDS[at] ?? MINUTE)
  );
  return calendar({ minutes, hours, days, months, weekdays });
}

/** Every minute, hour and day one by one has less. */
const MAX_TEXT = 1000;

/** One field of the five. */
interface FieldKind {
  readonly what: string;
  readonly least: number;
  readonly most: number;
  /** From the least on. */
  readonly names?: readonly string[];
}

const MINUTE: FieldKind = { what: "minute", least: 0, most: 59 };
const FIELDS: readonly FieldKind[] = [
  MINUTE,
  { what: "hour", least: 0, most: 23 },
  { what: "day of the month", least: 1, most: 31 },
  {
    what: "month",
    least: 1,
    most: 12,
    names: [
      "jan",
      "feb",
      "mar",
      "apr",
      "may",
      "jun",
      "jul",
      "aug",
      "sep",
      "oct",
      "nov",
      "dec",
    ],
  },
  {
    what: "day of the week",
    least: 0,
    most: 6,
    names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
  },
];

/** What a field says. */
interface FieldValues {
  readonly values: ReadonlySet<number>;
  /** Whether it says nothing: `*` or `?`, also among others. */
  readonly isAny: boolean;
}

type FieldName = "minutes" | "hours" | "days" | "months" | "weekdays";

function calendar(
  fields: Readonly<Record<FieldName, FieldValues | undefined>>,
): Schedule {
  const { minutes, hours, days, months, weekdays } = fields;
  return {
    kind: "calendar",
    minutes: minutes?.values ?? NONE,
    hours: hours?.values ?? NONE,
    days: days?.values ?? NONE,
    months: months?.values ?? NONE,
    weekdays: weekdays?.values ?? NONE,
    needsBothDays: days?.isAny === true || weekdays?.isAny === true,
  };
}

const NONE: ReadonlySet<number> = new Set();

const NAMED: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

function named(words: readonly string[]): Schedule {
  const [name = "", duration, ...more] = words;
  if (name === "@every" && duration !== undefined && more.length === 0) {
    return { kind: "every", periodMs: readPeriod(duration) };
  }
  const text = NAMED.get(name);
  if (text !== undefined && duration === undefined) return parseSchedule(text);
  const names = [...NAMED.keys()].join(", ");
  throw new SyntaxError(
    `Unknown schedule ${
      quoted(words.join(" "))
    }, wanted five fields, ${names} or @every with a duration`,
  );
}

/** Whole seconds, and at least one of them. */
function readPeriod(text: string): number {
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch {
    // Its own words are for configuration files.
    throw new SyntaxError(
      `Wanted a duration such as 90s or 1h30m, found ${quoted(text)}`,
    );
  }
  return Math.max(1000, Math.floor(ms / 1000) * 1000);
}

function readField(text: string, kind: FieldKind): FieldValues {
  const values = new Set<number>();
  let isAny = false;
  for (const part of text.split(",")) {
    if (part === "") continue;
    const range = readRange(part, kind);
    isAny ||= range.isAny;
    for (let value = range.from; value <= range.to; value += range.step) {
      values.add(value);
    }
  }
  if (values.size === 0) throw fault("has no value", text, kind);
  return { values, isAny };
}

interface FieldRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly isAny: boolean;
}

function readRange(text: string, kind: FieldKind): FieldRange {
  const [range = "", stepText, ...slashes] = text.split("/");
  if (slashes.length > 0) throw fault("has too many slashes", text, kind);
  const step = stepText === undefined ? 1 : readInteger(stepText, text, kind);
  if (step === 0) throw fault("has a step of zero", text, kind);
  const isStar = range === "*" || range === "?";
  if (isStar) {
    const { least: from, most: to } = kind;
    return { from, to, step, isAny: step === 1 };
  }
  const [low = "", high, ...hyphens] = range.split("-");
  if (hyphens.length > 0) throw fault("has too many hyphens", text, kind);
  const from = readValue(low, text, kind);
  // `5/15` begins at 5 and goes to the end.
  const alone = stepText === undefined ? from : kind.most;
  const to = high === undefined ? alone : readValue(high, text, kind);
  if (from < kind.least) throw fault(`is less than ${kind.least}`, text, kind);
  if (to > kind.most) throw fault(`is more than ${kind.most}`, text, kind);
  if (from > to) throw fault("begins after its end", text, kind);
  return { from, to, step, isAny: false };
}

function readValue(word: string, text: string, kind: FieldKind): number {
  const at = kind.names?.indexOf(word.toLowerCase()) ?? -1;
  return at >= 0 ? at + kind.least : readInteger(word, text, kind);
}

function readInteger(word: string, text: string, kind: FieldKind): number {
  if (/^\d{1,9}$/.test(word)) return Number(word);
  throw fault("is not understood", text, kind);
}

function fault(problem: string, text: string, { what }: FieldKind): Error {
  return new SyntaxError(`The ${what} ${quoted(text)} ${problem}`);
}

function quoted(text: string): string {
  return JSON.stringify(clipText(text));
}
