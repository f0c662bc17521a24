/**
 * When a schedule comes next, by the tables of robfig/cron (spec_test.go).
 *
 * @module
 */

import { ok, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  isTimeZone,
  nextAfter,
  parseSchedule,
} from "../../../../mod/api/schedule/mod.ts";

function next(
  schedule: string,
  after: string,
  timeZone?: string,
): string | undefined {
  const ms = nextAfter(parseSchedule(schedule), Date.parse(after), timeZone);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** TestActivation: whether the time itself is one of the schedule. */
const ACTIVATIONS: readonly (readonly [string, string, boolean])[] = [
  ["2012-07-09T15:00Z", "0/15 * * * *", true],
  ["2012-07-09T15:45Z", "0/15 * * * *", true],
  ["2012-07-09T15:40Z", "0/15 * * * *", false],
  ["2012-07-09T15:05Z", "5/15 * * * *", true],
  ["2012-07-09T15:20Z", "5/15 * * * *", true],
  ["2012-07-09T15:50Z", "5/15 * * * *", true],
  ["2012-07-15T15:00Z", "0/15 * * Jul *", true],
  ["2012-07-15T15:00Z", "0/15 * * Jun *", false],
  ["2012-07-15T08:30Z", "30 08 ? Jul Sun", true],
  ["2012-07-15T08:30Z", "30 08 15 Jul ?", true],
  ["2012-07-16T08:30Z", "30 08 ? Jul Sun", false],
  ["2012-07-16T08:30Z", "30 08 15 Jul ?", false],
  ["2012-07-09T15:00Z", "@hourly", true],
  ["2012-07-09T15:04Z", "@hourly", false],
  ["2012-07-09T15:00Z", "@daily", false],
  ["2012-07-09T00:00Z", "@daily", true],
  ["2012-07-09T00:00Z", "@weekly", false],
  ["2012-07-08T00:00Z", "@weekly", true],
  ["2012-07-08T01:00Z", "@weekly", false],
  ["2012-07-08T00:00Z", "@monthly", false],
  ["2012-07-01T00:00Z", "@monthly", true],
  ["2012-01-01T00:00Z", "@yearly", true],
  ["2012-02-01T00:00Z", "@yearly", false],
  // If both days are given, one of them is enough.
  ["2012-07-15T00:00Z", "* * 1,15 * Sun", true],
  ["2012-06-15T00:00Z", "* * 1,15 * Sun", true],
  ["2012-08-01T00:00Z", "* * 1,15 * Sun", true],
  ["2012-07-15T00:00Z", "* * */10 * Sun", true],
  // With a star, both count.
  ["2012-07-15T00:00Z", "* * * * Mon", false],
  ["2012-07-09T00:00Z", "* * 1,15 * *", false],
  ["2012-07-15T00:00Z", "* * 1,15 * *", true],
  ["2012-07-15T00:00Z", "* * */2 * Sun", true],
];
for (const [time, schedule, isDue] of ACTIVATIONS) {
  Deno.test(`nextAfter() ${isDue ? "has" : "lacks"} ${time} in "${schedule}" (TestActivation)`, () => {
    const before = new Date(Date.parse(time) - 1000).toISOString();
    const found = next(schedule, before) === new Date(time).toISOString();
    strictEqual(found, isDue);
  });
}

const NEW_YORK = "America/New_York";

/** TestNext, without its seconds. */
const NEXT: readonly (readonly [
  after: string,
  schedule: string,
  expected: string | undefined,
  timeZone?: string,
])[] = [
  ["2012-07-09T14:45Z", "0/15 * * * *", "2012-07-09T15:00Z"],
  ["2012-07-09T14:59Z", "0/15 * * * *", "2012-07-09T15:00Z"],
  ["2012-07-09T14:59:59Z", "0/15 * * * *", "2012-07-09T15:00Z"],
  ["2012-07-09T15:00:00Z", "0/15 * * * *", "2012-07-09T15:15Z"],
  ["2012-07-09T14:59:59.999Z", "0/15 * * * *", "2012-07-09T15:00Z"],
  ["2012-07-09T15:45Z", "20-35/15 * * * *", "2012-07-09T16:20Z"],
  ["2012-07-09T23:46Z", "*/15 * * * *", "2012-07-10T00:00Z"],
  ["2012-07-09T23:45Z", "20-35/15 * * * *", "2012-07-10T00:20Z"],
  ["2012-07-09T23:35:51Z", "20-35/15 1/2 * * *", "2012-07-10T01:20Z"],
  ["2012-07-09T23:35:51Z", "20-35/15 10-12 * * *", "2012-07-10T10:20Z"],
  ["2012-07-09T23:35:51Z", "20-35/15 1/2 */2 * *", "2012-07-11T01:20Z"],
  ["2012-07-09T23:35:51Z", "20-35/15 * 9-20 * *", "2012-07-10T00:20Z"],
  ["2012-07-09T23:35:51Z", "20-35/15 * 9-20 Jul *", "2012-07-10T00:20Z"],
  ["2012-07-09T23:35Z", "0 0 9 Apr-Oct ?", "2012-08-09T00:00Z"],
  ["2012-07-09T23:35Z", "0 0 */5 Apr,Aug,Oct Mon", "2012-08-01T00:00Z"],
  ["2012-07-09T23:35Z", "0 0 */5 Oct Mon", "2012-10-01T00:00Z"],
  ["2012-07-09T23:35Z", "0 0 * Feb Mon", "2013-02-04T00:00Z"],
  ["2012-07-09T23:35Z", "0 0 * Feb Mon/2", "2013-02-01T00:00Z"],
  ["2012-12-31T23:59:45Z", "* * * * *", "2013-01-01T00:00Z"],
  ["2012-07-09T23:35Z", "0 0 29 Feb ?", "2016-02-29T00:00Z"],
  ["2012-07-09T23:35Z", "0 0 30 Feb ?", undefined],
  ["2012-07-09T23:35Z", "0 0 31 Apr ?", undefined],
  // The clock is put forward.
  [
    "2012-03-11T00:00-05:00",
    "30 2 11 Mar ?",
    "2013-03-11T02:30-04:00",
    NEW_YORK,
  ],
  ["2012-03-11T00:00-05:00", "0 * * * ?", "2012-03-11T01:00-05:00", NEW_YORK],
  ["2012-03-11T01:00-05:00", "0 * * * ?", "2012-03-11T03:00-04:00", NEW_YORK],
  ["2012-03-11T03:00-04:00", "0 * * * ?", "2012-03-11T04:00-04:00", NEW_YORK],
  ["2012-03-11T00:00-05:00", "0 1 * * ?", "2012-03-11T01:00-05:00", NEW_YORK],
  ["2012-03-11T01:00-05:00", "0 1 * * ?", "2012-03-12T01:00-04:00", NEW_YORK],
  ["2012-03-11T00:00-05:00", "0 2 * * ?", "2012-03-12T02:00-04:00", NEW_YORK],
  // It is put back.
  [
    "2012-11-04T00:00-04:00",
    "30 2 04 Nov ?",
    "2012-11-04T02:30-05:00",
    NEW_YORK,
  ],
  [
    "2012-11-04T01:45-04:00",
    "30 1 04 Nov ?",
    "2012-11-04T01:30-05:00",
    NEW_YORK,
  ],
  ["2012-11-04T00:00-04:00", "0 * * * ?", "2012-11-04T01:00-04:00", NEW_YORK],
  ["2012-11-04T01:00-04:00", "0 * * * ?", "2012-11-04T01:00-05:00", NEW_YORK],
  ["2012-11-04T01:00-05:00", "0 * * * ?", "2012-11-04T02:00-05:00", NEW_YORK],
  ["2012-11-04T00:00-04:00", "0 1 * * ?", "2012-11-04T01:00-04:00", NEW_YORK],
  ["2012-11-04T01:00-04:00", "0 1 * * ?", "2012-11-04T01:00-05:00", NEW_YORK],
  ["2012-11-04T01:00-05:00", "0 1 * * ?", "2012-11-05T01:00-05:00", NEW_YORK],
  ["2012-11-04T00:00-04:00", "0 2 * * ?", "2012-11-04T02:00-05:00", NEW_YORK],
  ["2012-11-04T02:00-05:00", "0 2 * * ?", "2012-11-05T02:00-05:00", NEW_YORK],
  // TestNextWithTz.
  [
    "2013-01-03T03:09:03+05:30",
    "14 14 * * *",
    "2013-01-03T14:14+05:30",
    "Asia/Kolkata",
  ],
  [
    "2013-01-03T14:00+05:30",
    "14 14 * * ?",
    "2013-01-03T14:14+05:30",
    "Asia/Kolkata",
  ],
  // A zone whose clocks are put forward at midnight, so that the day has none.
  [
    "2018-11-03T12:00-03:00",
    "0 0 * * *",
    "2018-11-05T00:00-02:00",
    "America/Sao_Paulo",
  ],
  // And by half an hour.
  [
    "2024-04-06T12:00+11:00",
    "0 2 * * *",
    "2024-04-07T02:00+10:30",
    "Australia/Lord_Howe",
  ],
  ["2012-07-09T14:45:10.5Z", "@every 90s", "2012-07-09T14:46:40Z"],
];
for (const [after, schedule, expected, timeZone] of NEXT) {
  Deno.test(`nextAfter() finds what "${schedule}" has after ${after} (TestNext)`, () => {
    strictEqual(
      next(schedule, after, timeZone),
      expected && new Date(expected).toISOString(),
    );
  });
}

Deno.test("nextAfter() looks no further than five years", () => {
  strictEqual(next("0 0 29 2 *", "2096-03-01T00:00Z"), undefined);
  strictEqual(
    next("0 0 29 2 *", "2099-03-01T00:00Z"),
    "2104-02-29T00:00:00.000Z",
  );
});

const anyField = (least: number, most: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant("*"),
    fc.constant("*"),
    fc.integer({ min: least, max: most }).map(String),
    fc.tuple(
      fc.integer({ min: least, max: most }),
      fc.integer({ min: 1, max: 9 }),
    ).map(([from, step]) => `${from}/${step}`),
  );

const anySchedule = fc.tuple(
  anyField(0, 59),
  anyField(0, 23),
  anyField(1, 31),
  anyField(0, 6),
).map(([minute, hour, day, weekday]) =>
  `${minute} ${hour} ${day} * ${weekday}`
);

const ZONES = [
  "America/New_York",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Pacific/Apia",
  "UTC",
] as const;

/** The clock on the wall, asked minute by minute. */
function slowNext(
  schedule: string,
  afterMs: number,
  { timeZone, untilMs }: {
    readonly timeZone: string;
    readonly untilMs: number;
  },
): number | undefined {
  const parsed = parseSchedule(schedule);
  ok(parsed.kind === "calendar");
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    hourCycle: "h23",
  });
  const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const first = (Math.floor(afterMs / 60_000) + 1) * 60_000;
  for (let ms = first; ms <= untilMs; ms += 60_000) {
    const parts = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, value]),
    );
    const isDay = parsed.days.has(Number(parts["day"]));
    const weekday = weekdays.indexOf(parts["weekday"] ?? "");
    const isWeekday = parsed.weekdays.has(weekday);
    const isRight = parsed.needsBothDays
      ? isDay && isWeekday
      : isDay || isWeekday;
    if (
      isRight && parsed.hours.has(Number(parts["hour"])) &&
      parsed.minutes.has(Number(parts["minute"]))
    ) return ms;
  }
  return undefined;
}

Deno.test("nextAfter() finds what a clock on the wall shows first, whatever the zone", () => {
  const year = 365 * 86_400_000;
  fc.assert(
    fc.property(
      anySchedule,
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 20 * year }),
      (schedule, timeZone, sinceMs) => {
        const afterMs = Date.UTC(2006, 0, 1) + sinceMs;
        const found = nextAfter(parseSchedule(schedule), afterMs, timeZone);
        const untilMs = Math.min(found ?? Infinity, afterMs + 3 * 86_400_000);
        const slow = slowNext(schedule, afterMs, { timeZone, untilMs });
        if (slow !== undefined) strictEqual(found, slow);
        else ok(found === undefined || found > untilMs, `${found}`);
      },
    ),
    { numRuns: 150 },
  );
});

for (const name of ["Europe/Berlin", "UTC", "Etc/GMT+5", "Asia/Kolkata"]) {
  Deno.test(`isTimeZone() knows ${name}`, () => ok(isTimeZone(name)));
}
for (const name of ["", "Local", "Europe/Nowhere", "+01:00", "../UTC", "1"]) {
  Deno.test(`isTimeZone() does not take "${name}"`, () =>
    ok(!isTimeZone(name)));
}

Deno.test("nextAfter() knows no zone that there is not", () => {
  throws(() => next("* * * * *", "2012-07-09T23:35Z", "X/Y"), RangeError);
});

Deno.test("nextAfter() knows many zones at a time", () => {
  const zones = Intl.supportedValuesOf("timeZone").slice(0, 40);
  for (const zone of [...zones, ...zones]) {
    ok(next("0 0 1 1 *", "2012-07-09T23:35Z", zone)?.startsWith("201"), zone);
  }
});
