import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  BucketLimiter,
  controllerLimiter,
  ItemLimiter,
  LongestLimiter,
  type RateLimiter,
} from "../../../../mod/informer/work/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

function times(
  limiter: RateLimiter<string>,
  key: string,
  count: number,
): readonly number[] {
  return Array.from({ length: count }, () => limiter.when(key));
}

Deno.test("ItemLimiter doubles for each key by itself (TestItemExponentialFailureRateLimiter)", () => {
  const limiter = new ItemLimiter<string>({ baseMs: 1, maxMs: 1_000 });
  deepStrictEqual(times(limiter, "one", 5), [1, 2, 4, 8, 16]);
  strictEqual(limiter.retries("one"), 5);
  deepStrictEqual(times(limiter, "two", 2), [1, 2]);
  strictEqual(limiter.retries("two"), 2);
  limiter.forget("one");
  strictEqual(limiter.retries("one"), 0);
  strictEqual(limiter.when("one"), 1);
});

Deno.test("ItemLimiter goes to its limit and not beyond (TestItemExponentialFailureRateLimiterOverFlow)", () => {
  const limiter = new ItemLimiter<string>();
  const waits = times(limiter, "one", 1_100);
  deepStrictEqual(waits.slice(0, 4), [5, 10, 20, 40]);
  strictEqual(waits[17], 655_360);
  strictEqual(waits[18], 1_000_000);
  strictEqual(waits.at(-1), 1_000_000);
});

Deno.test("BucketLimiter lets a burst go and then one after the other", async () => {
  const clock = new FakeClock();
  const limiter = new BucketLimiter<string>({ clock }, {
    perSecond: 10,
    burst: 3,
  });
  deepStrictEqual(times(limiter, "any", 5), [0, 0, 0, 100, 200]);
  await clock.advance(250);
  deepStrictEqual(times(limiter, "any", 2), [50, 150]);
  await clock.advance(60_000);
  deepStrictEqual(times(limiter, "any", 4), [0, 0, 0, 100]);
  limiter.forget("any");
  strictEqual(limiter.retries("any"), 0);
  strictEqual(limiter.when("any"), 200);
});

Deno.test("BucketLimiter is 10 a second after 100, as upstream's", () => {
  const clock = new FakeClock();
  const waits = times(new BucketLimiter<string>({ clock }), "any", 102);
  deepStrictEqual(waits.slice(99), [0, 100, 200]);
});

Deno.test("LongestLimiter takes the longest (TestMaxOfRateLimiter)", () => {
  const quick = new ItemLimiter<string>({ baseMs: 1, maxMs: 4 });
  const slow = new ItemLimiter<string>({ baseMs: 3, maxMs: 3 });
  const limiter = new LongestLimiter([quick, slow]);
  deepStrictEqual(times(limiter, "one", 4), [3, 3, 4, 4]);
  strictEqual(limiter.retries("one"), 4);
  slow.forget("one");
  strictEqual(limiter.retries("one"), 4);
  limiter.forget("one");
  strictEqual(limiter.retries("one"), 0);
  strictEqual(new LongestLimiter([]).when("one"), 0);
  strictEqual(new LongestLimiter([]).retries("one"), 0);
});

Deno.test("controllerLimiter() doubles from 5 ms, and lets 10 a second go after 100", () => {
  const limiter = controllerLimiter<string>({ clock: new FakeClock() });
  deepStrictEqual(times(limiter, "one", 3), [5, 10, 20]);
  for (let at = 3; at < 100; at++) limiter.when(`${at}`);
  deepStrictEqual(["x", "y"].map((key) => limiter.when(key)), [100, 200]);
});
