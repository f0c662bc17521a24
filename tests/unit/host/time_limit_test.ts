/**
 * Calls that do not answer in time.
 *
 * @module
 */

import { rejects, strictEqual } from "node:assert/strict";
import { TimeLimit } from "../../../mod/host/files/time_limit.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const LIMIT_MS = 3000;
const never = (): Promise<never> => new Promise(() => {});

function limitOn(clock: FakeClock, asksAgain = true): TimeLimit {
  return new TimeLimit(clock, { limitMs: LIMIT_MS, asksAgain });
}

/** Calls that hang, one after the other, until their time is over. */
async function hang(
  limit: TimeLimit,
  clock: FakeClock,
  paths: readonly string[],
): Promise<void> {
  const calls = paths.map((path) => rejects(limit.run(path, never)));
  await clock.advance(LIMIT_MS);
  await Promise.all(calls);
}

Deno.test("TimeLimit asks a path again that was not answered, seldom and once", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  await hang(limit, clock, ["/a"]);
  strictEqual(limit.isHung("/a"), true);
  const asked: number[] = [];
  for (let second = 0; second < 3600; second++) {
    const call = limit.run("/a", () => {
      asked.push(clock.monotonic());
      return never();
    });
    call.catch(() => {});
    await clock.advance(1000);
  }
  strictEqual(asked.length, 5);
  strictEqual(await answer(limit, clock), "here");
  strictEqual(limit.isHung("/a"), false);
});

/** Asks each second for an hour, until there is an answer. */
async function answer(limit: TimeLimit, clock: FakeClock): Promise<string> {
  for (let second = 0; second < 3600; second++) {
    try {
      return await limit.run("/a", () => Promise.resolve("here"));
    } catch {
      await clock.advance(1000);
    }
  }
  return "silent";
}

Deno.test("TimeLimit asks one of several paths again, and the others when it answers", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  await hang(limit, clock, ["/a", "/b"]);
  await clock.advance(60_000);
  const first = Promise.withResolvers<string>();
  const a = limit.run("/a", () => first.promise);
  let isAsked = false;
  const ask = (): Promise<string> => {
    isAsked = true;
    return Promise.resolve("b");
  };
  await rejects(limit.run("/b", ask));
  strictEqual(isAsked, false);
  first.resolve("a");
  strictEqual(await a, "a");
  strictEqual(await limit.run("/b", ask), "b");
});

Deno.test("TimeLimit never asks again where a late answer counts", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock, false);
  await hang(limit, clock, ["/a"]);
  await clock.advance(7_200_000);
  await rejects(limit.run("/a", () => Promise.resolve("here")));
});

Deno.test("TimeLimit lets no more than sixteen calls wait", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  await hang(limit, clock, Array.from({ length: 16 }, (_, at) => `/${at}`));
  let isAsked = false;
  await rejects(limit.run("/other", () => {
    isAsked = true;
    return Promise.resolve();
  }));
  strictEqual(isAsked, false);
  await clock.advance(60_000);
  await limit.run("/0", () => Promise.resolve());
});
