/**
 * What is remembered of pods between two syncs.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  PodMemory,
  SyncMemory,
} from "../../../../mod/agent/sync/sync_memory.ts";
import { Sessions } from "../../../../mod/base/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { emptyPicture } from "../../../support/picture/picture.ts";
import { observed } from "../../../support/observed_pods.ts";
import { Gate } from "../../../support/agent/workers_rig.ts";
import { podOf } from "../../../support/pods.ts";

const STARTED = "2026-01-01T00:00:00Z";

function memoryBy(clock: FakeClock) {
  const sessions = new Sessions();
  const { picture } = emptyPicture({ clock });
  const memory = new SyncMemory({ clock, sessions, picture });
  return { sessions, memory, picture };
}

/** A clock that stands `ms` after {@linkcode STARTED}. */
function clockAfter(ms: number): FakeClock {
  return new FakeClock(Date.parse(STARTED) + ms);
}

Deno.test("SyncMemory.acted() says that something is being done, and afterwards when it was", async () => {
  const clock = new FakeClock();
  const { memory, picture } = memoryBy(clock);
  const gate = new Gate();
  const { signal } = new AbortController();
  const acting = memory.acted("a", () => gate.wait(signal));
  deepStrictEqual(
    [picture.isActing("a"), picture.isActing("b"), memory.get("a")?.actedAtMs],
    [true, false, undefined],
  );
  await clock.advance(5_000);
  gate.open();
  await acting;
  deepStrictEqual([picture.isActing("a"), memory.get("a")?.actedAtMs], [
    false,
    5_000,
  ]);
});

Deno.test("SyncMemory.acted() counts what failed as done: it may have changed the pod", async () => {
  const clock = new FakeClock();
  await clock.advance(7_000);
  const { memory, picture } = memoryBy(clock);
  const failure = new Error("busy");
  await rejects(memory.acted("a", () => Promise.reject(failure)), failure);
  deepStrictEqual([picture.isActing("a"), memory.get("a")?.actedAtMs], [
    false,
    7_000,
  ]);
});

Deno.test("PodMemory.decided() keeps why containers wait until the sync that goes on is over", () => {
  const memory = new PodMemory(new FakeClock());
  const finding = { pod: podOf("a"), observed: observed([]), plan: undefined };
  const failures = [{ reason: "FailedSync", message: "busy" }] as const;
  const earlier = () => memory.decision?.earlier;
  memory.decided(finding);
  deepStrictEqual(earlier(), []);
  memory.ended({ kind: "retry", delayMs: 1 }, failures);
  memory.decided(finding);
  deepStrictEqual(earlier(), failures);
  // The one before was cut off.
  memory.decided(finding);
  deepStrictEqual(earlier(), failures);
  memory.ended({ kind: "settled" }, []);
  strictEqual(earlier(), undefined);
});

Deno.test("SyncMemory.renew() leaves of a pod only when it was acted upon", async () => {
  const { memory, sessions } = memoryBy(new FakeClock());
  await memory.acted("a", () => Promise.resolve());
  const failed = { reason: "ErrImagePull", message: "no such host" };
  memory.of("a").waiting = new Map([["c", failed]]);
  memory.renew("a");
  strictEqual(memory.of("a").waiting.size, 0);
  strictEqual(memory.of("a").actedAtMs, 0);
  sessions.delete("a");
  strictEqual(memory.get("a"), undefined);
});

for (const startTime of [undefined, "", "yesterday"]) {
  Deno.test(`PodMemory.activeMs() is unknown of a pod whose start time is ${startTime}`, () => {
    const memory = new PodMemory(clockAfter(60_000));
    strictEqual(memory.activeMs(startTime), undefined);
  });
}

Deno.test("PodMemory.activeMs() counts from the start time, and goes on counting", async () => {
  const clock = clockAfter(60_000);
  await clock.advance(5_000);
  const memory = new PodMemory(clock);
  strictEqual(memory.activeMs(STARTED), 65_000);
  await clock.advance(7_000);
  strictEqual(memory.activeMs(STARTED), 72_000);
});

Deno.test("PodMemory.activeMs() does not follow a wall clock that is set", async () => {
  const clock = clockAfter(60_000);
  const memory = new PodMemory(clock);
  memory.activeMs(STARTED);
  clock.wall = Date.parse(STARTED) + 3_600_000;
  await clock.advance(1_000);
  strictEqual(memory.activeMs(STARTED), 61_000);
});

Deno.test("PodMemory.activeMs() is never below zero, whatever the wall clock says", async () => {
  const clock = clockAfter(-3_600_000);
  const memory = new PodMemory(clock);
  strictEqual(memory.activeMs(STARTED), 0);
  await clock.advance(1_000);
  strictEqual(memory.activeMs(STARTED), 1_000);
});

Deno.test("PodMemory.activeMs() asks the wall clock anew for another start time", () => {
  const clock = clockAfter(60_000);
  const memory = new PodMemory(clock);
  memory.activeMs(STARTED);
  clock.wall = Date.parse(STARTED) + 90_000;
  strictEqual(memory.activeMs("2026-01-01T00:00:10Z"), 80_000);
});
