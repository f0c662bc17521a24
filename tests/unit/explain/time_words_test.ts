import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { TimeWords } from "../../../mod/explain/time_words.ts";
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
