/**
 * Permits, first come, first served.
 *
 * @module
 */

import {
  deepStrictEqual,
  rejects,
  strictEqual,
  throws,
} from "node:assert/strict";
import fc from "fast-check";
import { InvariantError } from "../../../mod/base/invariant.ts";
import { Semaphore } from "../../../mod/base/semaphore.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const settle = () => new FakeClock().advance(0);

Deno.test("Semaphore lends out as many permits as it has", async () => {
  const semaphore = new Semaphore(2);
  const first = await semaphore.acquire();
  await semaphore.acquire();
  strictEqual(semaphore.available, 0);
  first[Symbol.dispose]();
  strictEqual(semaphore.available, 1);
});

Deno.test("Semaphore takes a permit back only once", async () => {
  const semaphore = new Semaphore(1);
  const permit = await semaphore.acquire();
  permit[Symbol.dispose]();
  permit[Symbol.dispose]();
  strictEqual(semaphore.available, 1);
});

Deno.test("Semaphore serves in the order of asking", async () => {
  const semaphore = new Semaphore(1);
  const order: number[] = [];
  const tasks = [1, 2, 3, 4].map(async (id) => {
    using _permit = await semaphore.acquire();
    order.push(id);
    await settle();
  });
  await Promise.all(tasks);
  deepStrictEqual(order, [1, 2, 3, 4]);
  strictEqual(semaphore.available, 1);
});

Deno.test("Semaphore.acquire() leaves the line when aborted", async () => {
  const semaphore = new Semaphore(1);
  const permit = await semaphore.acquire();
  const controller = new AbortController();
  const gone = semaphore.acquire(controller.signal);
  const next = semaphore.acquire();
  controller.abort(new Error("Enough"));
  await rejects(gone, /Enough/);
  permit[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  strictEqual(semaphore.available, 1);
});

Deno.test("Semaphore.acquire() keeps a permit granted before the abort", async () => {
  const semaphore = new Semaphore(1);
  const controller = new AbortController();
  const permit = await semaphore.acquire(controller.signal);
  const second = semaphore.acquire(controller.signal);
  permit[Symbol.dispose]();
  controller.abort();
  (await second)[Symbol.dispose]();
  strictEqual(semaphore.available, 1);
});

Deno.test("Semaphore.acquire() rejects when aborted before, though one is free", async () => {
  const semaphore = new Semaphore(1);
  await rejects(semaphore.acquire(AbortSignal.abort(new Error("Enough"))));
  strictEqual(semaphore.available, 1);
});

Deno.test("Semaphore refuses a number of permits that is no whole number above zero", () => {
  for (const permits of [0, -1, 0.5, NaN]) {
    throws(() => new Semaphore(permits), InvariantError);
  }
});

Deno.test("Semaphore never has more holders than permits, and all come to their turn", async () => {
  await fc.assert(fc.asyncProperty(
    fc.scheduler(),
    fc.integer({ min: 1, max: 3 }),
    fc.nat({ max: 12 }),
    async (scheduler, permits, count) => {
      const semaphore = new Semaphore(permits);
      let holders = 0;
      let served = 0;
      const tasks = Array.from({ length: count }, async () => {
        using _permit = await semaphore.acquire();
        holders++;
        strictEqual(holders <= permits, true);
        await scheduler.schedule(Promise.resolve());
        holders--;
        served++;
      });
      await scheduler.waitFor(Promise.all(tasks));
      strictEqual(served, count);
      strictEqual(semaphore.available, permits);
    },
  ));
});
