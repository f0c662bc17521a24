/**
 * What becomes of an event that an API server does not take.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../mod/api/access/mod.ts";
import { EventDeliveryRig } from "../../support/events/event_delivery_rig.ts";

for (
  const [fate, becomes] of [
    // client-go's TestWriteEventError: giveUp1 and giveUp2, retry1 and retry2.
    ["Forbidden", "given up"],
    ["Conflict", "given up"],
    ["NotFound", "given up"],
    ["Invalid", "given up"],
    ["BadRequest", "given up"],
    ["InternalError", "given up"],
    [new TypeError("a fault of our own"), "given up"],
    ["Unreachable", "tried again"],
    ["Garbage", "tried again"],
    ["Timeout", "tried again"],
    ["ServiceUnavailable", "tried again"],
    ["TooManyRequests", "tried again"],
    ["Unauthorized", "tried again"],
  ] as const
) {
  Deno.test(`an event that fails by ${fate} is ${becomes}`, async () => {
    await using rig = new EventDeliveryRig();
    await rig.run();
    rig.fates.push(fate);
    rig.say("one");
    rig.say("two");
    await rig.clock.advance(0);
    deepStrictEqual(
      rig.texts,
      becomes === "given up" ? ["create one", "create two"] : ["create one"],
    );
    await rig.clock.advance(2_500);
    deepStrictEqual(rig.texts.length, becomes === "given up" ? 2 : 3);
    strictEqual(rig.untold("refused"), becomes === "given up" ? 1 : 0);
  });
}

Deno.test("EventDelivery warns of a refusal once until one gets through", async () => {
  await using rig = new EventDeliveryRig();
  await rig.run();
  const levels = (): readonly unknown[] => rig.lines.map(({ level }) => level);
  rig.fates.push("Forbidden", "Forbidden", "ok", "Forbidden");
  for (const message of ["one", "two", "three", "four"]) rig.say(message);
  await rig.clock.advance(0);
  deepStrictEqual(rig.logged, Array(3).fill("event_refused"));
  deepStrictEqual(levels(), ["warn", "debug", "warn"]);
  deepStrictEqual(rig.lines[0]?.["reason"], "Tested");
  deepStrictEqual(rig.lines[0]?.["error"], "not so");
});

for (
  const [wishMs, waitsMs] of [
    [1_000, 2_500],
    [30_000, 30_000],
    [86_400_000, 300_000],
  ] as const
) {
  Deno.test(`EventDelivery waits ${waitsMs} ms when the server wishes ${wishMs}`, async () => {
    await using rig = new EventDeliveryRig();
    await rig.run();
    const wish = { retryAfterMs: wishMs };
    rig.fates.push(new ApiFailure("TooManyRequests", "later", wish));
    rig.say("one");
    await rig.clock.advance(400_000);
    deepStrictEqual(rig.times, [0, waitsMs]);
  });
}
