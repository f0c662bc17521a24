/** Deadlines count time that has passed, whatever becomes of the clock. */

import { strictEqual } from "node:assert/strict";
import {
  KnownTimes,
  unwatched,
} from "../../../../mod/controller/run/known_times.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const NOON = "2026-05-01T12:00:00Z";
const NOON_MS = Date.parse(NOON);
const DAY_MS = 24 * 3_600_000;

/** How much time has passed since noon, first seen ten seconds after it, 50 seconds later. */
const PASSED: Readonly<
  Record<string, readonly [jumpMs: number, passedMs: number]>
> = {
  "a clock that goes on": [0, 60_000],
  "a clock that is set by less than it may drift": [900, 60_900],
  "a clock that is set a little ahead": [1_100, 60_000],
  "a clock that is set a day ahead": [DAY_MS, 60_000],
  "a clock that is set a day back": [-DAY_MS, 60_000],
  "a clock that begins in 1970 again": [-NOON_MS, 60_000],
};

for (const [name, [jumpMs, passedMs]] of Object.entries(PASSED)) {
  Deno.test(`since a time that an object says the time has passed that it has: ${name}`, async () => {
    const clock = new FakeClock(NOON_MS);
    await clock.advance(10_000);
    const times = new KnownTimes(clock);
    strictEqual(times.look(clock).timeOf(NOON), NOON_MS);
    await clock.advance(20_000);
    clock.wall = clock.now() + jumpMs;
    await clock.advance(30_000);
    for (let look = 0; look < 3; look++) {
      const { timeOf, forMs } = times.look(clock);
      strictEqual(clock.now() - timeOf(NOON), passedMs);
      strictEqual(clock.now() - timeOf(NOON), passedMs, "asked again");
      strictEqual(forMs, 50_000);
    }
  });
}

const AHEAD = new Date(NOON_MS + 1).toISOString();

for (const time of [AHEAD, "", "noon"]) {
  Deno.test(`"${time}" at noon counts from when it was seen`, async () => {
    strictEqual(unwatched(NOON_MS).timeOf(time), NOON_MS);
    const clock = new FakeClock(NOON_MS);
    const times = new KnownTimes(clock);
    strictEqual(times.look(clock).timeOf(time), NOON_MS);
    await clock.advance(5_000);
    strictEqual(times.look(clock).timeOf(time), NOON_MS);
    clock.wall = 7_000;
    strictEqual(times.look(clock).timeOf(time), 2_000);
  });
}

Deno.test("what is not asked for at a look is forgotten, and believed anew", async () => {
  const clock = new FakeClock(NOON_MS);
  const times = new KnownTimes(clock);
  times.look(clock).timeOf(NOON);
  times.look(clock);
  clock.wall = NOON_MS + DAY_MS;
  await clock.advance(1_000);
  strictEqual(times.look(clock).timeOf(NOON), NOON_MS);
});

Deno.test("who keeps no watch believes every time that does not lie ahead", () => {
  const { timeOf, forMs } = unwatched(NOON_MS);
  strictEqual(timeOf(NOON), NOON_MS);
  strictEqual(timeOf("1970-01-01T00:00:00Z"), 0);
  strictEqual(forMs, Infinity);
});
