/**
 * Points in time as people at the machine read them.
 *
 * @module
 */

import { parseTime } from "../pod/status/mod.ts";
import type { ExplainFacts } from "./facts.ts";

/** A point in time: in milliseconds, or as a status writes it. */
export type PointInTime = number | string | undefined;

/**
 * Times in words, in two ways: by the wall clock, and as a distance from now.
 *
 * A machine without a battery begins in 1970. Then only the distance is written. A time by
 * a clock that was wrong is written as an empty text.
 */
export class TimeWords {
  readonly #clock: Pick<ExplainFacts, "nowMs" | "utcOffsetMs">;

  constructor(clock: Pick<ExplainFacts, "nowMs" | "utcOffsetMs">) {
    this.#clock = clock;
  }

  /** `at 12:02:40`; a point in the past. */
  at(moment: PointInTime): string {
    const past = this.#past(moment);
    if (past === undefined) return "";
    const { ms, agoMs } = past;
    return this.isSane ? `at ${this.#face(ms)}` : `${spanWords(agoMs)} ago`;
  }

  /** Says what happened, and when if that is known. */
  happened(what: string, moment: PointInTime): string {
    return `${what} ${this.at(moment)}`.trimEnd();
  }

  /** `since 12:01:02 (1 min 12 s)`; a point in the past. */
  since(moment: PointInTime): string {
    const past = this.#past(moment);
    if (past === undefined) return "";
    const span = spanWords(past.agoMs);
    return this.isSane
      ? `since ${this.#face(past.ms)} (${span})`
      : `for ${span}`;
  }

  /**
   * Says that something is so, and since when if that is known.
   *
   * @param state how it is said without and with a time
   */
  lasts(
    subject: string,
    [now, long]: readonly [now: string, long: string],
    moment: PointInTime,
  ): string {
    const since = this.since(moment);
    return since === "" ? `${subject} ${now}` : `${subject} ${long} ${since}`;
  }

  /** As `since`, for what is known to have lasted so long whatever the clock did. */
  lasting(forMs: number): string {
    return this.since(this.#clock.nowMs - forMs);
  }

  /** `until 12:03:20`; a point ahead, or now when it has passed. */
  until(ms: number): string {
    return this.isSane
      ? `until ${this.#face(ms)}`
      : `for another ${this.away(ms)}`;
  }

  /** `at 12:03:20 (in 38 s)`; a point ahead. */
  due(ms: number): string {
    const leftMs = ms - this.#clock.nowMs;
    if (leftMs < MOMENT_MS) return "at once";
    return this.isSane
      ? `at ${this.#face(ms)} (in ${this.away(ms)})`
      : `in ${this.away(ms)}`;
  }

  /** `38 s`: how far a point ahead is away. */
  away(ms: number): string {
    return spanWords(ms - this.#clock.nowMs);
  }

  /** Whether a point ahead is that far away that it is worth explanation. */
  isAhead(ms: number): boolean {
    return ms - this.#clock.nowMs >= MOMENT_MS;
  }

  /** Whether a point lies in the past, and no further away than that. */
  isWithin(moment: PointInTime, spanMs: number): boolean {
    const { agoMs = Infinity } = this.#past(moment) ?? {};
    return agoMs <= spanMs;
  }

  /** Whether the clock on the wall can be right at all. */
  get isSane(): boolean {
    return this.#clock.nowMs >= EARLIEST_MS;
  }

  /** The time and how long ago it was; `undefined` if the clock was set since then. */
  #past(
    moment: PointInTime,
  ): { readonly ms: number; readonly agoMs: number } | undefined {
    const ms = typeof moment === "string" ? parseTime(moment) : moment;
    if (ms === undefined) return undefined;
    const agoMs = this.#clock.nowMs - ms;
    const isOtherClock = this.isSane !== (ms >= EARLIEST_MS);
    if (isOtherClock || agoMs < -SKEW_MS) return undefined;
    return { ms, agoMs };
  }

  /** The time of the day; with the day when that is another. */
  #face(ms: number): string {
    const { nowMs, utcOffsetMs } = this.#clock;
    const [day = "", time = ""] = stamp(ms + utcOffsetMs).split("T");
    const [today] = stamp(nowMs + utcOffsetMs).split("T");
    return day === today ? time : `${day} ${time}`;
  }
}

/** Before it this agent did not exist: a clock that shows less is wrong. */
const EARLIEST_MS = Date.parse("2020-01-01T00:00:00Z");

/** What is nearer happens while the sentence is read. */
const MOMENT_MS = 500;

/** Times have whole seconds, and come from more than one clock. */
const SKEW_MS = 2_000;

const SECOND_MS = 1_000;

/** Writes a span of time: `38 s`, `1 min 12 s`, `2 h 5 min`, `3 d 4 h`; less than none is none. */
export function spanWords(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS);
  const index = UNITS.findIndex(([, size]) => seconds >= size);
  const unit = UNITS[index];
  if (unit === undefined) return "0 s";
  const [name, size] = unit;
  const count = Math.floor(seconds / size);
  const [nextName, nextSize] = UNITS[index + 1] ?? ["", Infinity];
  const rest = Math.floor((seconds - count * size) / nextSize);
  return rest === 0
    ? `${count} ${name}`
    : `${count} ${name} ${rest} ${nextName}`;
}

/** From the longest to the shortest, in seconds. */
const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

/** `2026-01-02T03:04:05`; what is later than any date is the last one. */
function stamp(ms: number): string {
  // Cut as in statuses and reports, so that one moment has one face everywhere.
  return new Date(Math.min(ms, LATEST_MS)).toISOString().slice(0, 19);
}

const LATEST_MS = Date.parse("9999-12-31T23:59:59Z");

/** What {@link TimeWords.lasts} says of what runs. */
export const RUNS = ["is running", "has been running"] as const;

/** The latest of some times as statuses write them; `undefined` when none is known. */
export function latestMs(
  times: readonly (string | undefined)[],
): number | undefined {
  const known = times.flatMap((text) => parseTime(text) ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}
