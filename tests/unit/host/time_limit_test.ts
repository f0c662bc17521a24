/**
 * Calls that do not answer in time.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
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

Deno.test("TimeLimit goes on beside sixteen calls that never answer, one call at a time", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  const paths = Array.from({ length: 16 }, (_, at) => `/${at}`);
  await hang(limit, clock, paths);
  await clock.advance(60_000);
  let [atOnce, most] = [0, 0];
  const work = async (): Promise<void> => {
    most = Math.max(most, ++atOnce);
    await clock.sleep(10, new AbortController().signal);
    atOnce--;
  };
  for (let round = 0; round < 3; round++) {
    const others = ["/other", "/more"].map((path) => limit.run(path, work));
    await clock.advance(100);
    await Promise.all(others);
    for (const path of paths) strictEqual(await isAsked(limit, path), true);
  }
  strictEqual(most, 1);
});

Deno.test("TimeLimit does not have what answers wait for what does not", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  await hang(limit, clock, Array.from({ length: 16 }, (_, at) => `/${at}`));
  await clock.advance(60_000);
  strictEqual(await isAsked(limit, "/other"), true);
  await hang(limit, clock, ["/0"]);
  strictEqual(await isAsked(limit, "/other"), true);
  strictEqual(await isAsked(limit, "/1"), false);
  // One that did not hang before, and does now, stops them all for a time.
  await hang(limit, clock, ["/new"]);
  strictEqual(await isAsked(limit, "/other"), false);
});

/** Whether a path is asked; what is asked answers at once. */
async function isAsked(limit: TimeLimit, path: string): Promise<boolean> {
  let asked = false;
  const call = limit.run(path, () => {
    asked = true;
    return Promise.resolve();
  });
  await call.catch(() => {});
  return asked;
}

Deno.test("TimeLimit gives a call its time, and says how long that was", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  const answer = Promise.withResolvers<string>();
  const call = limit.run("/a", () => answer.promise);
  await clock.advance(LIMIT_MS - 1);
  answer.resolve("here");
  strictEqual(await call, "here");
  await clock.advance(LIMIT_MS);
  strictEqual(limit.isHung("/a"), false);
  strictEqual(clock.pendingTimers, 0);
  const silent = rejects(limit.run("/a", never), ({ cause }: Error) => {
    return cause instanceof Error && cause.message.endsWith("within 3000 ms");
  });
  await clock.advance(LIMIT_MS);
  await silent;
});

Deno.test("TimeLimit passes on what a call throws, and does not take it for silence", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  const fault = new Error("EIO");
  await rejects(limit.run("/a", () => Promise.reject(fault)), fault);
  strictEqual(limit.isHung("/a"), false);
  await hang(limit, clock, Array.from({ length: 15 }, (_, at) => `/${at}`));
  strictEqual(await isAsked(limit, "/other"), true);
});

Deno.test("TimeLimit asks again of its own time, whatever other paths do", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  await hang(limit, clock, ["/a"]);
  strictEqual(await isAsked(limit, "/b"), true);
  strictEqual(await isAsked(limit, "/a"), false);
  await clock.advance(30_000);
  await hang(limit, clock, ["/b"]);
  await clock.advance(26_999);
  strictEqual(await isAsked(limit, "/a"), false);
  await clock.advance(1);
  strictEqual(await isAsked(limit, "/a"), true);
});

Deno.test("TimeLimit takes an answer that comes late for one, and lets others wait instead", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  const late = Promise.withResolvers<void>();
  const call = rejects(limit.run("/late", () => late.promise));
  const paths = Array.from({ length: 15 }, (_, at) => `/${at}`);
  await Promise.all([hang(limit, clock, paths), call]);
  strictEqual(await isAsked(limit, "/other"), false);
  strictEqual(limit.isHung("/late"), true);
  late.resolve();
  await clock.advance(0);
  strictEqual(limit.isHung("/late"), false);
  strictEqual(await isAsked(limit, "/other"), true);
  // The next that hangs may answer as well, and is asked at once.
  strictEqual(await isAsked(limit, "/0"), true);
});

Deno.test("TimeLimit asks again at most eight times while sixteen calls wait", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  await hang(limit, clock, Array.from({ length: 16 }, (_, at) => `/${at}`));
  let asked = 0;
  for (let hour = 0; hour < 12; hour++) {
    await clock.advance(3_600_000);
    const call = rejects(limit.run("/0", () => {
      asked++;
      return never();
    }));
    await clock.advance(LIMIT_MS);
    await call;
  }
  strictEqual(asked, 8);
});

/** Asks for paths every 20 s for some hours, as a full look does; says when each answered last. */
async function lookFor(
  hours: number,
  { hung, well }: { readonly hung: number; readonly well: string },
): Promise<{ readonly wellHours: number; readonly asked: number }> {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  let [asked, wellMs] = [0, 0];
  const hang = (): Promise<never> => {
    asked++;
    return never();
  };
  for (let look = 0; look < hours * 180; look++) {
    // Those that hang come first.
    const calls = Array.from(
      { length: hung },
      (_, at) => limit.run(`/${at}`, hang),
    ).map((call) => call.catch(() => {}));
    calls.push(
      limit.run(well, () => Promise.resolve()).then(() => {
        wellMs = clock.monotonic();
      }).catch(() => {}),
    );
    await clock.advance(20_000);
    await Promise.all(calls);
  }
  return { wellHours: Math.ceil(wellMs / 3_600_000), asked };
}

Deno.test("TimeLimit asks one path that never answers eight times again, and the others for good", async () => {
  deepStrictEqual(await lookFor(30, { hung: 1, well: "/well" }), {
    wellHours: 30,
    asked: 9,
  });
});

Deno.test("TimeLimit gives others a turn though sixteen that hung are asked before them each time", async () => {
  deepStrictEqual(await lookFor(30, { hung: 16, well: "/well" }), {
    wellHours: 30,
    asked: 24,
  });
});

Deno.test("TimeLimit asks again first what was asked again least", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  const asked = [0, 0, 0];
  for (let look = 0; look < 30; look++) {
    const calls = asked.map((_, at) =>
      limit.run(`/${at}`, () => {
        asked[at] = (asked[at] ?? 0) + 1;
        // Of three mounts the second and the third are replaced after the first look.
        return at > 0 && look > 0 ? Promise.resolve() : never();
      }).catch(() => {})
    );
    await clock.advance(20_000);
    await Promise.all(calls);
  }
  strictEqual(limit.isHung("/0"), true);
  deepStrictEqual([limit.isHung("/1"), limit.isHung("/2")], [false, false]);
});

Deno.test("TimeLimit does not have what is asked for no more keep others from being asked again", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  await hang(limit, clock, ["/gone", "/a"]);
  await clock.advance(60_000);
  await hang(limit, clock, ["/a"]);
  await clock.advance(120_000);
  strictEqual(await isAsked(limit, "/a"), false);
  await clock.advance(60_000);
  strictEqual(await isAsked(limit, "/a"), true);
});

Deno.test("TimeLimit lets no more than sixteen calls hang, though many begin while fifteen do", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  await hang(limit, clock, Array.from({ length: 15 }, (_, at) => `/${at}`));
  let hung = 0;
  const calls = Array.from(
    { length: 16 },
    (_, at) =>
      rejects(limit.run(`/more${at}`, () => {
        hung++;
        return never();
      })),
  );
  await clock.advance(LIMIT_MS);
  await Promise.all(calls);
  strictEqual(hung, 1);
  await clock.advance(60_000);
  strictEqual(await isAsked(limit, "/well"), true);
});

Deno.test("TimeLimit counts what hangs together with others", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  const options = { limitMs: LIMIT_MS, asksAgain: true };
  const other = new TimeLimit(clock, { ...options, beside: limit });
  await hang(limit, clock, Array.from({ length: 16 }, (_, at) => `/${at}`));
  await hang(other, clock, Array.from({ length: 8 }, (_, at) => `/${at}`));
  await clock.advance(60_000);
  for (const one of [limit, other]) {
    strictEqual(await isAsked(one, "/0"), false);
  }
  strictEqual(await isAsked(limit, "/new"), true);
});

Deno.test("TimeLimit counts no call any more that answers late", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  for (let round = 0; round < 3; round++) {
    const late = Promise.withResolvers<void>();
    const calls = Array.from(
      { length: 20 },
      (_, at) => limit.run(`/${at}`, () => late.promise).catch(() => {}),
    );
    await clock.advance(LIMIT_MS);
    await Promise.all(calls);
    strictEqual(limit.isHung("/15"), true);
    strictEqual(limit.isHung("/16"), false);
    late.resolve();
    await clock.advance(0);
    strictEqual(limit.isHung("/15"), false);
    let asked = 0;
    const all = Array.from(
      { length: 20 },
      (_, at) =>
        limit.run(`/${at}`, async () => {
          asked++;
          await clock.sleep(1, new AbortController().signal);
        }),
    );
    strictEqual(asked, 16);
    await clock.advance(1);
    strictEqual(asked, 20);
    await clock.advance(1);
    await Promise.all(all);
  }
});

Deno.test("TimeLimit has 28 calls hang at most", async () => {
  const clock = new FakeClock();
  const limit = limitOn(clock);
  let hung = 0;
  for (let minute = 0; minute < 60; minute++) {
    const calls = Array.from(
      { length: 40 },
      (_, at) =>
        limit.run(`/${at}`, () => {
          hung++;
          return never();
        }).catch(() => {}),
    );
    await clock.advance(60_000);
    await Promise.all(calls);
  }
  strictEqual(hung, 28);
});
