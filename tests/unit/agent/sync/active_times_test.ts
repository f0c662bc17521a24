/**
 * How long pods have been active.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { ActiveTimes } from "../../../../mod/agent/sync/active_times.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const STARTED = "2026-01-01T00:00:00Z";

/** A clock that stands `ms` after {@linkcode STARTED}. */
function clockAfter(ms: number): FakeClock {
  return new FakeClock(Date.parse(STARTED) + ms);
}

for (const startTime of [undefined, "", "yesterday"]) {
  Deno.test(`ActiveTimes.activeMs() is unknown of a pod whose start time is ${startTime}`, () => {
    const times = new ActiveTimes({ clock: clockAfter(60_000) });
    strictEqual(times.activeMs("a", startTime), undefined);
  });
}

Deno.test("ActiveTimes.activeMs() counts from the start time, and goes on counting", async () => {
  const clock = clockAfter(60_000);
  await clock.advance(5_000);
  const times = new ActiveTimes({ clock });
  strictEqual(times.activeMs("a", STARTED), 65_000);
  await clock.advance(7_000);
  strictEqual(times.activeMs("a", STARTED), 72_000);
});

Deno.test("ActiveTimes.activeMs() does not follow a wall clock that is set", async () => {
  const clock = clockAfter(60_000);
  const times = new ActiveTimes({ clock });
  times.activeMs("a", STARTED);
  clock.wall = Date.parse(STARTED) + 3_600_000;
  await clock.advance(1_000);
  strictEqual(times.activeMs("a", STARTED), 61_000);
});

Deno.test("ActiveTimes.activeMs() is never below zero, whatever the wall clock says", async () => {
  const clock = clockAfter(-3_600_000);
  const times = new ActiveTimes({ clock });
  strictEqual(times.activeMs("a", STARTED), 0);
  await clock.advance(1_000);
  strictEqual(times.activeMs("a", STARTED), 1_000);
});

for (
  const [what, change] of [
    ["has another start time", undefined],
    ["was forgotten", (times: ActiveTimes) => times.forget("a")],
  ] as const
) {
  Deno.test(`ActiveTimes.activeMs() asks the wall clock anew for a pod that ${what}`, () => {
    const clock = clockAfter(60_000);
    const times = new ActiveTimes({ clock });
    times.activeMs("a", STARTED);
    clock.wall = Date.parse(STARTED) + 90_000;
    change?.(times);
    const startTime = change === undefined ? "2026-01-01T00:00:10Z" : STARTED;
    const expected = change === undefined ? 80_000 : 90_000;
    strictEqual(times.activeMs("a", startTime), expected);
  });
}
