/**
 * Points in time and spans, in words.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  latestMs,
  spanWords,
  TimeWords,
} from "../../../mod/explain/time_words.ts";
import { NOW_MS } from "../../support/observed_pods.ts";

Deno.test("TimeWords tells nothing of a time that another clock told", () => {
  const sane = new TimeWords({ nowMs: NOW_MS, utcOffsetMs: 0 });
  strictEqual(sane.at(NOW_MS - 1_000), "at 03:04:04");
  strictEqual(sane.at(600_000), "");
  strictEqual(sane.since(600_000), "");
  strictEqual(sane.at(undefined), "");
  const early = new TimeWords({ nowMs: 700_000, utcOffsetMs: 0 });
  strictEqual(early.at(600_000), "1 min 40 s ago");
  strictEqual(early.at(NOW_MS), "");
});

Deno.test("TimeWords.isWithin() and isAhead() know how far away a time is", () => {
  const time = new TimeWords({ nowMs: NOW_MS, utcOffsetMs: 0 });
  const ago = [0, 1_000, 1_001, undefined].map((ms) =>
    time.isWithin(ms === undefined ? undefined : NOW_MS - ms, 1_000)
  );
  deepStrictEqual(ago, [true, true, false, false]);
  const ahead = [-1, 499, 500].map((ms) => time.isAhead(NOW_MS + ms));
  deepStrictEqual(ahead, [false, false, true]);
});

Deno.test("TimeWords.happened() and lasts() leave out a time that is not known", () => {
  const time = new TimeWords({ nowMs: NOW_MS, utcOffsetMs: 0 });
  const lasts = (since: string | undefined) =>
    time.lasts("It", ["is down", "has been down"], since);
  strictEqual(time.happened("Done", undefined), "Done");
  strictEqual(
    time.happened("Done", "2026-01-02T03:04:00Z"),
    "Done at 03:04:00",
  );
  strictEqual(lasts("never"), "It is down");
  strictEqual(
    lasts("2026-01-02T03:04:00Z"),
    "It has been down since 03:04:00 (5 s)",
  );
});

Deno.test("TimeWords.due() says when, and that it is at once", () => {
  const time = new TimeWords({ nowMs: NOW_MS, utcOffsetMs: 0 });
  strictEqual(time.due(NOW_MS), "at once");
  strictEqual(time.due(NOW_MS + 38_000), "at 03:04:43 (in 38 s)");
});

for (
  const [ms, words] of [
    [-5_000, "0 s"],
    [0, "0 s"],
    [499, "0 s"],
    [500, "1 s"],
    [59_499, "59 s"],
    [59_500, "1 min"],
    [61_000, "1 min 1 s"],
    [3_599_000, "59 min 59 s"],
    [3_600_000, "1 h"],
    [3_659_000, "1 h"],
    [3_660_000, "1 h 1 min"],
    [86_399_000, "23 h 59 min"],
    [86_400_000, "1 d"],
    [89_999_000, "1 d"],
    [90_000_000, "1 d 1 h"],
    [1_000 * 86_400_000, "1000 d"],
  ] as const
) {
  Deno.test(`spanWords() writes ${ms} ms as "${words}"`, () => {
    strictEqual(spanWords(ms), words);
  });
}

Deno.test("TimeWords takes a time that is a little ahead for now, and no other", () => {
  const time = new TimeWords({ nowMs: NOW_MS, utcOffsetMs: 0 });
  strictEqual(time.at(NOW_MS + 2_000), "at 03:04:07");
  strictEqual(time.since(NOW_MS + 2_000), "since 03:04:07 (0 s)");
  strictEqual(time.isWithin(NOW_MS + 2_000, 0), true);
  strictEqual(time.at(NOW_MS + 2_001), "");
  strictEqual(time.isWithin(NOW_MS + 2_001, 10_000), false);
});

Deno.test("TimeWords believes a clock from 2020 on", () => {
  const first = Date.parse("2020-01-01T00:00:00Z");
  const sane = new TimeWords({ nowMs: first, utcOffsetMs: 0 });
  strictEqual(sane.isSane, true);
  strictEqual(sane.at(first), "at 00:00:00");
  strictEqual(sane.at(first - 1), "");
  strictEqual(
    new TimeWords({ nowMs: first - 1, utcOffsetMs: 0 }).isSane,
    false,
  );
});

Deno.test("TimeWords says how far away something is by a clock that is wrong", () => {
  const time = new TimeWords({ nowMs: 700_000, utcOffsetMs: 0 });
  strictEqual(time.until(738_000), "for another 38 s");
  strictEqual(time.until(600_000), "for another 0 s");
  strictEqual(time.due(738_000), "in 38 s");
  strictEqual(time.due(700_499), "at once");
  strictEqual(time.due(700_500), "in 1 s");
  strictEqual(time.since(600_000), "for 1 min 40 s");
});

Deno.test("TimeWords names the day when it is another, by the local clock", () => {
  const hour = 3_600_000;
  const west = new TimeWords({ nowMs: NOW_MS, utcOffsetMs: -4 * hour });
  strictEqual(west.at(NOW_MS), "at 23:04:05");
  strictEqual(west.due(NOW_MS + hour), "at 2026-01-02 00:04:05 (in 1 h)");
  const time = new TimeWords({ nowMs: NOW_MS, utcOffsetMs: 0 });
  strictEqual(time.until(9e15), "until 9999-12-31 23:59:59");
});

Deno.test("latestMs() finds the latest of the times that are known", () => {
  const times = ["2026-01-02T03:04:05Z", undefined, "2026-01-02T03:04:04Z"];
  strictEqual(latestMs(times), NOW_MS);
  strictEqual(latestMs([undefined, "never"]), undefined);
});
