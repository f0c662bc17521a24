import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import { RateLimitedQueue } from "../../../../mod/informer/work/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { below, fuzz, pick } from "../../../support/fuzz/fuzz.ts";

const WORKERS = 3;

fuzz(
  "RateLimitedQueue works on every key after it was added last, and on none twice at once",
  {
    inputs: 100,
    run: async ({ random }) => {
      const clock = new FakeClock();
      const metrics = new MetricsRegistry();
      const deps = { clock, log: silentLogger, metrics };
      const queue = new RateLimitedQueue<string>(deps, {
        name: "keys",
        workers: WORKERS,
      });
      /** When a key was asked for last and when its last run that went well began. */
      const asked = new Map<string, number>();
      const begun = new Map<string, number>();
      const running = new Set<string>();
      const wrong: string[] = [];
      let turn = 0;
      let isStormy = true;
      const stop = new AbortController();
      const over = queue.run(async (key, signal) => {
        // A handler that throws is tried again, so what it finds is written down.
        if (running.has(key)) wrong.push(`${key} twice at once`);
        running.add(key);
        if (running.size > WORKERS) wrong.push(`${running.size} at once`);
        const began = ++turn;
        try {
          if (random.next() < .5) await clock.sleep(below(random, 500), signal);
          if (isStormy && random.next() < .3) throw new Error("not this time");
          begun.set(key, began);
        } finally {
          running.delete(key);
        }
      }, stop.signal);
      for (let step = 0; step < 80; step++) {
        const key = pick(random, ["a", "b", "c", "d", "e"]);
        asked.set(key, ++turn);
        const delayMs = below(random, 400);
        pick(random, [
          () => queue.add(key),
          () => queue.addAfter(key, delayMs),
          () => queue.addRateLimited(key),
        ])();
        if (random.next() < .5) await clock.advance(below(random, 300));
      }
      isStormy = false;
      await clock.advance(10_000_000);
      deepStrictEqual(wrong, []);
      strictEqual(queue.size, 0);
      strictEqual(running.size, 0);
      for (const [key, at] of asked) {
        ok((begun.get(key) ?? 0) > at, `${key} was not looked at again`);
        strictEqual(queue.retries(key), 0);
      }
      strictEqual(clock.pendingTimers, 0);
      queue.finish();
      await over;
    },
  },
);
