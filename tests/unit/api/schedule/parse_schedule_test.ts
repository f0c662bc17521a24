/**
 * What a schedule means, by the tables of robfig/cron (parser_test.go).
 *
 * @module
 */

import { deepStrictEqual, ok, throws } from "node:assert/strict";
import { parseSchedule } from "../../../../mod/api/schedule/mod.ts";

type Field = "minutes" | "hours" | "days" | "months" | "weekdays";

function valuesOf(text: string, field: Field): readonly number[] {
  const schedule = parseSchedule(text);
  ok(schedule.kind === "calendar");
  return [...schedule[field]].sort((a, b) => a - b);
}

/** TestRange, TestField and TestBits, and names. */
const FIELDS: readonly (readonly [string, Field, readonly number[]])[] = [
  ["5 * * * *", "minutes", [5]],
  ["0 * * * *", "minutes", [0]],
  ["59 * * * *", "minutes", [59]],
  ["5-5 * * * *", "minutes", [5]],
  ["5-7 * * * *", "minutes", [5, 6, 7]],
  ["5-6/2 * * * *", "minutes", [5]],
  ["5-7/2 * * * *", "minutes", [5, 7]],
  ["5-7/1 * * * *", "minutes", [5, 6, 7]],
  ["5,6,7 * * * *", "minutes", [5, 6, 7]],
  ["1,5-7/2,3 * * * *", "minutes", [1, 3, 5, 7]],
  ["1,,3 * * * *", "minutes", [1, 3]],
  ["20-35/15 * * * *", "minutes", [20, 35]],
  ["15/35 * * * *", "minutes", [15, 50]],
  ["0/15 * * * *", "minutes", [0, 15, 30, 45]],
  ["*/20 * * * *", "minutes", [0, 20, 40]],
  ["?/20 * * * *", "minutes", [0, 20, 40]],
  ["0 */6 * * *", "hours", [0, 6, 12, 18]],
  ["0 23 * * *", "hours", [23]],
  ["0 0 */10 * *", "days", [1, 11, 21, 31]],
  ["0 0 1,31 * *", "days", [1, 31]],
  ["0 0 * 12 *", "months", [12]],
  ["0 0 * Jan,DEC *", "months", [1, 12]],
  ["0 0 * feb-apr *", "months", [2, 3, 4]],
  ["0 0 * may,jun,jul,aug,sep,oct,nov *", "months", [5, 6, 7, 8, 9, 10, 11]],
  ["0 0 * */5 *", "months", [1, 6, 11]],
  ["0 0 * * 6", "weekdays", [6]],
  ["0 0 * * Sun", "weekdays", [0]],
  ["0 0 * * mon-WED", "weekdays", [1, 2, 3]],
  ["0 0 * * thu,fri,sat", "weekdays", [4, 5, 6]],
  ["0 0 * * Mon/2", "weekdays", [1, 3, 5]],
  ["@hourly", "minutes", [0]],
  ["@daily", "hours", [0]],
  ["@midnight", "hours", [0]],
  ["@weekly", "weekdays", [0]],
  ["@monthly", "days", [1]],
  ["@yearly", "months", [1]],
  ["@annually", "months", [1]],
  ["  5\t*  * * *\n", "minutes", [5]],
];
for (const [text, field, values] of FIELDS) {
  Deno.test(`parseSchedule() reads ${field} of ${JSON.stringify(text)}`, () => {
    deepStrictEqual(valuesOf(text, field), values);
  });
}

const whole = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

for (
  const [field, from, to] of [
    ["minutes", 0, 59],
    ["hours", 0, 23],
    ["days", 1, 31],
    ["months", 1, 12],
    ["weekdays", 0, 6],
  ] as const
) {
  Deno.test(`parseSchedule() takes a star for all ${field} (TestBits)`, () => {
    deepStrictEqual(valuesOf("* * * * *", field), whole(from, to));
    deepStrictEqual(valuesOf("? ? ? ? ?", field), whole(from, to));
  });
}

const DAYS: readonly (readonly [string, boolean])[] = [
  ["0 0 1,15 * Sun", false],
  ["0 0 * * Sun", true],
  ["0 0 ? * Sun", true],
  ["0 0 15 * *", true],
  ["0 0 15 * ?", true],
  ["0 0 */1 * Sun", true],
  ["0 0 1,* * Sun", true],
  ["0 0 */10 * Sun", false],
  ["0 0 15 * */2", false],
];
for (const [text, needsBothDays] of DAYS) {
  Deno.test(`parseSchedule() says of "${text}" whether both days count`, () => {
    const schedule = parseSchedule(text);
    ok(schedule.kind === "calendar");
    deepStrictEqual(schedule.needsBothDays, needsBothDays);
  });
}

const EVERY: readonly (readonly [string, number])[] = [
  ["@every 5m", 300_000],
  ["@every 1h30m", 5_400_000],
  ["@every 1.9s", 1000],
  ["@every 10ms", 1000],
  ["@every -1h", 1000],
];
for (const [text, periodMs] of EVERY) {
  Deno.test(`parseSchedule() reads "${text}" (TestParseSchedule)`, () => {
    deepStrictEqual(parseSchedule(text), { kind: "every", periodMs });
  });
}

const REFUSED: readonly (readonly [string, string])[] = [
  ["", "Wanted five fields, found none"],
  [" \t", "Wanted five fields, found none"],
  ["* * * *", 'Wanted five fields, found 4: "* * * *"'],
  ["* * * * * *", 'Wanted five fields, found 6: "* * * * * *"'],
  [
    "TZ=UTC 0 0 * * *",
    "Cannot use TZ or CRON_TZ in a schedule, use `timeZone` instead",
  ],
  [
    "CRON_TZ=UTC 0 0 * * *",
    "Cannot use TZ or CRON_TZ in a schedule, use `timeZone` instead",
  ],
  ["60 0 * * *", 'The minute "60" is more than 59'],
  ["0 24 * * *", 'The hour "24" is more than 23'],
  ["0 0 0 * *", 'The day of the month "0" is less than 1'],
  ["0 0 32 * *", 'The day of the month "32" is more than 31'],
  ["0 0 * 0 *", 'The month "0" is less than 1'],
  ["0 0 * 13 *", 'The month "13" is more than 12'],
  ["0 0 * * 7", 'The day of the week "7" is more than 6'],
  ["30-20 * * * *", 'The minute "30-20" begins after its end'],
  ["1/2/3 * * * *", 'The minute "1/2/3" has too many slashes'],
  ["1-2-3 * * * *", 'The minute "1-2-3" has too many hyphens'],
  ["15/0 * * * *", 'The minute "15/0" has a step of zero'],
  ["*/-12 * * * *", 'The minute "*/-12" is not understood'],
  ["-5 * * * *", 'The minute "-5" is not understood'],
  ["x * * * *", 'The minute "x" is not understood'],
  ["1/x * * * *", 'The minute "1/x" is not understood'],
  ["jan * * * *", 'The minute "jan" is not understood'],
  ["0 0 * sun *", 'The month "sun" is not understood'],
  ["0 0 * january *", 'The month "january" is not understood'],
  ["1234567890 * * * *", 'The minute "1234567890" is not understood'],
  [", * * * *", 'The minute "," has no value'],
  ["@every", 'Unknown schedule "@every", wanted five fields, @yearly, '],
  ["@every 5m 5m", 'Unknown schedule "@every 5m 5m", wanted five fields, '],
  ["@hourly now", 'Unknown schedule "@hourly now", wanted five fields, '],
  ["@Hourly", "@midnight, @hourly or @every with a duration"],
  [
    "@every often",
    'Wanted a duration such as 90s or 1h30m, found "often"',
  ],
];
for (const [text, problem] of REFUSED) {
  Deno.test(`parseSchedule() refuses ${JSON.stringify(text)}`, () => {
    throws(
      () => parseSchedule(text),
      (error) => {
        ok(error instanceof SyntaxError);
        ok(error.message.includes(problem), error.message);
        return true;
      },
    );
  });
}

Deno.test("parseSchedule() reads a thousand characters and no more", () => {
  const most = `${"0,".repeat(496)} * * * *`;
  deepStrictEqual(valuesOf(most, "minutes"), [0]);
  throws(() => parseSchedule(`${most} `), {
    name: "SyntaxError",
    message: "Wanted at most 1000 characters, found 1001",
  });
});

Deno.test("parseSchedule() shows no more than the beginning of a long text", () => {
  throws(() => parseSchedule("9".repeat(1000)), ({ message }) => {
    ok(message.length < 200, message);
    return true;
  });
});
