/**
 * What is remembered of pods between two syncs.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { SyncMemory } from "../../../../mod/agent/sync/sync_memory.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { Gate } from "../workers_rig.ts";

const FAILED = { reason: "ErrImagePull", message: "no such host" };

Deno.test("SyncMemory.acted() says that something is being done, and afterwards when it was", async () => {
  const clock = new FakeClock();
  const memory = new SyncMemory(clock);
  const gate = new Gate();
  const { signal } = new AbortController();
  const acting = memory.acted("a", () => gate.wait(signal));
  deepStrictEqual(
    [memory.isActing("a"), memory.isActing("b"), memory.actedAtMs("a")],
    [true, false, undefined],
  );
  await clock.advance(5_000);
  gate.open();
  await acting;
  deepStrictEqual([memory.isActing("a"), memory.actedAtMs("a")], [
    false,
    5_000,
  ]);
});

Deno.test("SyncMemory.acted() counts what failed as done: it may have changed the pod", async () => {
  const clock = new FakeClock();
  await clock.advance(7_000);
  const memory = new SyncMemory(clock);
  const failure = new Error("busy");
  await rejects(memory.acted("a", () => Promise.reject(failure)), failure);
  deepStrictEqual([memory.isActing("a"), memory.actedAtMs("a")], [
    false,
    7_000,
  ]);
});

Deno.test("SyncMemory.setActedAtMs() takes back that something was done", async () => {
  const memory = new SyncMemory(new FakeClock());
  await memory.acted("a", () => Promise.resolve());
  memory.setActedAtMs("a", undefined);
  strictEqual(memory.actedAtMs("a"), undefined);
});

for (
  const [method, actedAtMs] of [["forget", undefined], ["renew", 0]] as const
) {
  Deno.test(`SyncMemory.${method}() leaves ${actedAtMs === undefined ? "nothing of a pod" : "of a pod only when it was acted upon"}`, async () => {
    const memory = new SyncMemory(new FakeClock());
    await memory.acted("a", () => Promise.resolve());
    memory.waiting.set("a", new Map([["c", FAILED]]));
    memory.refusedResizes.set("a", { reason: "Deferred", message: "full" });
    memory[method]("a");
    strictEqual(memory.waiting.has("a"), false);
    strictEqual(memory.refusedResizes.has("a"), false);
    strictEqual(memory.actedAtMs("a"), actedAtMs);
  });
}
