/**
 * Points in time before and after a clock was set.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { momentOf, wallTimeOf } from "../../../mod/base/clock.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const START_MS = Date.UTC(2026, 0, 1);

for (
  const { name, from, to } of [
    { name: "not at all", from: START_MS, to: START_MS },
    { name: "by less than a second", from: START_MS, to: START_MS + 900 },
    { name: "40 s back", from: START_MS, to: START_MS - 40_000 },
    { name: "back to 1970", from: START_MS, to: 0 },
    { name: "from 1970 to now", from: 0, to: START_MS },
    { name: "50 years ahead", from: START_MS, to: START_MS + 1.6e12 },
  ]
) {
  Deno.test(`CL-05: wallTimeOf() keeps the distance to now when the clock is set ${name}`, async () => {
    const clock = new FakeClock(from);
    const moment = momentOf(clock);
    await clock.advance(60_000);
    clock.wall = to + 60_000;
    const isSet = Math.abs(to - from) > 1_000;
    strictEqual(wallTimeOf(moment, momentOf(clock)), isSet ? to : from);
  });
}
