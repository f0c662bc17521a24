/**
 * The loop that handles what happens, and what feeds it.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  eventsOf,
  housekeepingEvents,
  runSyncLoop,
  runtimeEvent,
  type SyncEvent,
} from "../../../mod/agent/sync_loop.ts";
import type { PodLifecycleEvent } from "../../../mod/picture/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const OVER = new DOMException("Over", "AbortError");

/** Gives these, and then nothing more until `signal` aborts. */
async function* feed<T>(
  signal: AbortSignal,
  ...items: readonly T[]
): AsyncIterable<T> {
  yield* items;
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return;
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}

function pulls(
  signal: AbortSignal,
  ...uids: readonly string[]
): AsyncIterable<SyncEvent> {
  return eventsOf(
    feed(signal, ...uids),
    (uid) => ({ kind: "pull_ended", uid }),
  );
}

Deno.test("runSyncLoop() handles what every source tells until it is stopped", async () => {
  const stop = new AbortController();
  const moved: PodLifecycleEvent[] = [
    { kind: "container_died", podUid: "a", containerId: "c" },
    { kind: "runtime_returned" },
  ];
  const handled: SyncEvent[] = [];
  await runSyncLoop({
    feeds: [
      (scope) => eventsOf(feed(scope, ...moved), runtimeEvent),
      (scope) => pulls(scope, "b"),
    ],
    parts: [],
    handle: (event) => {
      handled.push(event);
      if (handled.length === 3) stop.abort(OVER);
    },
  }, stop.signal);
  const kinds = handled.map(({ kind }) => kind).toSorted();
  deepStrictEqual(kinds, ["container_moved", "pull_ended", "runtime_returned"]);
});

Deno.test("runSyncLoop() ends at once when it was stopped before it began", async () => {
  const feeds = [(scope: AbortSignal) => pulls(scope)];
  const loop = { feeds, parts: [], handle: () => {} };
  await runSyncLoop(loop, AbortSignal.abort(OVER));
});

const FAILURE = new Error("broken");

Deno.test("runSyncLoop() fails when a source fails, though others have nothing to tell", async () => {
  const { signal } = new AbortController();
  // deno-lint-ignore require-yield -- it fails before it gives anything
  async function* broken(): AsyncIterable<SyncEvent> {
    await Promise.resolve();
    throw FAILURE;
  }
  const feeds = [broken, (scope: AbortSignal) => pulls(scope)];
  const loop = { feeds, parts: [], handle: () => {} };
  await rejects(runSyncLoop(loop, signal), FAILURE);
});

Deno.test("runSyncLoop() fails when an event cannot be handled, though its sources have nothing more to tell", async () => {
  const { signal } = new AbortController();
  const feeds = [(scope: AbortSignal) => pulls(scope, "a")];
  const handle = (): never => {
    throw FAILURE;
  };
  await rejects(runSyncLoop({ feeds, parts: [], handle }, signal), FAILURE);
});

Deno.test("runSyncLoop() fails when a part in the background fails, and ends the others first", async () => {
  const { signal } = new AbortController();
  const feeds = [(scope: AbortSignal) => pulls(scope)];
  const ended: string[] = [];
  const parts = [
    { run: () => Promise.reject(FAILURE) },
    {
      run: async (scope: AbortSignal) => {
        for await (const _event of feed(scope)) continue;
        ended.push("the other part");
      },
    },
  ];
  const loop = { feeds, parts, handle: () => {} };
  await rejects(runSyncLoop(loop, signal), FAILURE);
  deepStrictEqual(ended, ["the other part"]);
});

Deno.test("housekeepingEvents() asks for housekeeping every two seconds until it is stopped", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const seenAtMs: number[] = [];
  const reading = (async () => {
    for await (const { kind } of housekeepingEvents(clock, stop.signal)) {
      strictEqual(kind, "housekeeping_due");
      seenAtMs.push(clock.monotonic());
      if (seenAtMs.length > 10) break;
    }
  })();
  await clock.advance(6_500);
  stop.abort(OVER);
  await rejects(reading, OVER);
  deepStrictEqual(seenAtMs, [2_000, 4_000, 6_000]);
  strictEqual(clock.pendingTimers, 0);
});
