/**
 * Ending pulls that stand still.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Ingest } from "../../../../mod/cri/model/mod.ts";
import {
  type ListIngests,
  PullProgress,
  type WatchedPull,
} from "../../../../mod/runtime/images/pull_progress.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function rig(options: { readonly deadlineMs?: number } = {}) {
  const clock = new FakeClock();
  const state: { answer: ReturnType<ListIngests>; asked: number } = {
    answer: Promise.resolve([]),
    asked: 0,
  };
  const progress = new PullProgress({
    clock,
    ingests: () => {
      state.asked++;
      return state.answer;
    },
  }, { progressDeadlineMs: options.deadlineMs ?? MINUTE });
  /** From now on these are written, of 1000 bytes each. */
  const write = (pieces: Readonly<Record<string, number>>): void => {
    const begunMs = clock.now();
    const ingests = Object.entries(pieces).map(([ref, bytes]): Ingest => ({
      ...{ ref, bytes, begunMs, totalBytes: 1_000 },
    }));
    state.answer = Promise.resolve(ingests);
  };
  return { clock, progress, state, write };
}

/** After how long a pull was ended, looked at each second. */
async function endOf(
  clock: FakeClock,
  pull: WatchedPull,
  limitMs: number,
): Promise<number | undefined> {
  const begunMs = clock.monotonic();
  while (clock.monotonic() - begunMs < limitMs) {
    await clock.advance(1_000);
    if (pull.signal.aborted) return clock.monotonic() - begunMs;
  }
  return undefined;
}

Deno.test("PullProgress ends a pull of which no byte comes, and says what had come", async () => {
  const { clock, progress, write, state } = rig();
  const pull = progress.begin("x:1");
  write({ a: 10 });
  await clock.advance(30_000);
  write({ a: 20 });
  strictEqual(await endOf(clock, pull, HOUR), 70_000);
  strictEqual(
    pull.why,
    "no progress for 1m0s (imagePullProgressDeadline); 20 bytes had come",
  );
  pull[Symbol.dispose]();
  strictEqual(state.asked, 10);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("PullProgress lets a pull go on that gets a byte now and then, longer than an hour and not for ever", async () => {
  const { clock, progress, write } = rig();
  const pull = progress.begin("x:1");
  let bytes = 0;
  for (; !pull.signal.aborted && bytes < 5_000; bytes++) {
    write({ a: bytes / 100 });
    await clock.advance(30_000);
  }
  strictEqual(clock.monotonic(), 24 * HOUR);
  strictEqual(
    pull.why,
    "the runtime was still pulling after 24h0m0s, the longest time that a pull has",
  );
  pull[Symbol.dispose]();
});

Deno.test("PullProgress gives each of several pieces the whole time: they share a line", async () => {
  const { clock, progress, write } = rig();
  const pull = progress.begin("x:1");
  write({ a: 0, b: 0, c: 0 });
  strictEqual(await endOf(clock, pull, HOUR), 190_000);
  pull[Symbol.dispose]();
});

Deno.test("PullProgress ends no pull while the runtime unpacks, before an hour after the last byte", async () => {
  const { clock, progress, write } = rig();
  const pull = progress.begin("x:1");
  write({ a: 10 });
  await clock.advance(20_000);
  write({});
  await clock.advance(20_000);
  // It became whole at the look after 30 s.
  strictEqual(await endOf(clock, pull, 2 * HOUR), HOUR - 10_000);
  strictEqual(pull.why?.startsWith("the runtime was still pulling"), true);
  pull[Symbol.dispose]();
});

Deno.test("PullProgress ends no pull for what was left before, which has come, or is not known", async () => {
  const { clock, progress, write, state } = rig();
  write({ left: 10 });
  await clock.advance(1_000);
  const pull = progress.begin("x:1");
  strictEqual(await endOf(clock, pull, 10 * MINUTE), undefined);
  write({ left: 10, come: 1_000 });
  strictEqual(await endOf(clock, pull, 10 * MINUTE), undefined);
  write({ left: 10, new: 1 });
  await clock.advance(10_000);
  state.answer = Promise.resolve(undefined);
  strictEqual(await endOf(clock, pull, 10 * MINUTE), undefined);
  state.answer = Promise.reject(new Error("gone"));
  state.answer.catch(() => {});
  strictEqual(await endOf(clock, pull, 10 * MINUTE), undefined);
  pull[Symbol.dispose]();
});

Deno.test("PullProgress gives a pull an hour whose runtime does not say what it writes", async () => {
  const { clock, progress, state } = rig();
  state.answer = Promise.resolve(undefined);
  const pull = progress.begin("x:1");
  strictEqual(progress.bytesOf("x:1"), undefined);
  strictEqual(await endOf(clock, pull, 2 * HOUR), HOUR);
  pull[Symbol.dispose]();
});

Deno.test("PullProgress asks nothing without a deadline, nor while nothing is pulled", async () => {
  const { clock, progress, state } = rig({ deadlineMs: 0 });
  const pull = progress.begin("x:1");
  strictEqual(await endOf(clock, pull, 2 * HOUR), HOUR);
  pull[Symbol.dispose]();
  const other = rig();
  other.progress.begin("x:1")[Symbol.dispose]();
  await other.clock.advance(HOUR);
  deepStrictEqual([state.asked, other.state.asked], [0, 0]);
  deepStrictEqual([clock.pendingTimers, other.clock.pendingTimers], [0, 0]);
});

Deno.test("PullProgress asks often enough for a short deadline", async () => {
  const { clock, progress, write } = rig({ deadlineMs: 12_000 });
  const pull = progress.begin("x:1");
  write({ a: 0 });
  strictEqual(await endOf(clock, pull, HOUR), 16_000);
  pull[Symbol.dispose]();
});

Deno.test("PullProgress ends one after the other of the pulls that stand still, the first one first", async () => {
  const { clock, progress, write } = rig();
  write({ a: 0 });
  const one = progress.begin("x:1");
  const two = progress.begin("y:1");
  await clock.advance(40_000);
  const late = progress.begin("z:1");
  strictEqual(await endOf(clock, one, HOUR), 30_000);
  // One of the others may have all its bytes, and be unpacked.
  deepStrictEqual([two.signal.aborted, late.signal.aborted], [false, false]);
  one[Symbol.dispose]();
  strictEqual(await endOf(clock, two, HOUR), 60_000);
  strictEqual(two.why, "no progress for 2m0s (imagePullProgressDeadline)");
  strictEqual(late.signal.aborted, false);
  two[Symbol.dispose]();
  strictEqual(await endOf(clock, late, HOUR), 60_000);
  late[Symbol.dispose]();
});

Deno.test("PullProgress ends no pull that unpacks for one that began after it and stands still", async () => {
  const { clock, progress, write } = rig();
  const unpacks = progress.begin("x:1");
  write({ a: 10 });
  await clock.advance(20_000);
  write({});
  await clock.advance(20_000);
  const still = progress.begin("y:1");
  write({ b: 5 });
  strictEqual(await endOf(clock, still, 10 * MINUTE), 70_000);
  strictEqual(unpacks.signal.aborted, false);
  still[Symbol.dispose]();
  write({});
  strictEqual(await endOf(clock, unpacks, 30 * MINUTE), undefined);
  unpacks[Symbol.dispose]();
});

Deno.test("PullProgress ends no pull that began after all pieces that stand still", async () => {
  const { clock, progress, write } = rig();
  const still = progress.begin("x:1");
  write({ a: 5 });
  await clock.advance(15_000);
  const unpacks = progress.begin("y:1");
  strictEqual(await endOf(clock, still, 10 * MINUTE), 55_000);
  strictEqual(unpacks.signal.aborted, false);
  still[Symbol.dispose]();
  unpacks[Symbol.dispose]();
});

Deno.test("PullProgress.bytesOf() tells of an image that is pulled alone, and of no other", async () => {
  const { clock, progress, write } = rig();
  const one = progress.begin("x:1");
  strictEqual(progress.bytesOf("x:1"), undefined);
  write({ a: 10, b: 5 });
  await clock.advance(10_000);
  strictEqual(progress.bytesOf("x:1"), 15);
  strictEqual(progress.bytesOf("y:1"), undefined);
  const two = progress.begin("y:1");
  deepStrictEqual(["x:1", "y:1"].map((name) => progress.bytesOf(name)), [
    undefined,
    undefined,
  ]);
  two[Symbol.dispose]();
  // What came meanwhile may have been of the other.
  strictEqual(progress.bytesOf("x:1"), undefined);
  one[Symbol.dispose]();
  using _again = progress.begin("x:1");
  write({ c: 7 });
  await clock.advance(10_000);
  strictEqual(progress.bytesOf("x:1"), 7);
});

Deno.test("PullProgress looks on by the wall clock of now when that is set back", async () => {
  const { clock, progress, write } = rig();
  const pull = progress.begin("x:1");
  clock.wall = clock.now() - HOUR;
  write({ a: 0 });
  strictEqual(await endOf(clock, pull, HOUR), 70_000);
  pull[Symbol.dispose]();
});
