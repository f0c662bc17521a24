/**
 * Many writers and one reader.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import { Inbox } from "../../../mod/base/inbox.ts";
import { InvariantError } from "../../../mod/base/invariant.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const settle = () => new FakeClock().advance(0);

async function read<T>(inbox: Inbox<T>, count: number): Promise<T[]> {
  const items: T[] = [];
  if (count === 0) return items;
  for await (const item of inbox) {
    items.push(item);
    if (items.length === count) break;
  }
  return items;
}

Deno.test("Inbox gives items in the order they were put", async () => {
  using inbox = new Inbox<number>(3);
  for (const item of [1, 2, 3]) strictEqual(inbox.offer(item), true);
  strictEqual(inbox.size, 3);
  deepStrictEqual(await read(inbox, 3), [1, 2, 3]);
});

Deno.test("Inbox.offer() refuses when full", () => {
  using inbox = new Inbox<number>(1);
  strictEqual(inbox.offer(1), true);
  strictEqual(inbox.offer(2), false);
  strictEqual(inbox.size, 1);
});

Deno.test("Inbox.put() waits for room, first come, first served", async () => {
  using inbox = new Inbox<number>(1);
  const accepted: number[] = [];
  for (const item of [1, 2, 3]) {
    inbox.put(item).then((taken) => {
      if (taken) accepted.push(item);
    });
  }
  await settle();
  deepStrictEqual(accepted, [1]);
  deepStrictEqual(await read(inbox, 1), [1]);
  await settle();
  deepStrictEqual(accepted, [1, 2]);
  strictEqual(inbox.offer(9), false);
  deepStrictEqual(await read(inbox, 2), [2, 3]);
});

Deno.test("Inbox wakes a waiting reader", async () => {
  using inbox = new Inbox<string>(1);
  const reading = read(inbox, 2);
  await settle();
  strictEqual(await inbox.put("a"), true);
  await settle();
  strictEqual(inbox.offer("b"), true);
  deepStrictEqual(await reading, ["a", "b"]);
});

Deno.test("Inbox carries undefined like any other item", async () => {
  using inbox = new Inbox<undefined>(2);
  inbox.offer(undefined);
  inbox.offer(undefined);
  strictEqual((await read(inbox, 2)).length, 2);
});

Deno.test("Inbox dispose wakes everybody and drops what is queued", async () => {
  const inbox = new Inbox<number>(1);
  const first = inbox.put(1);
  const second = inbox.put(2);
  inbox[Symbol.dispose]();
  strictEqual(await first, true);
  strictEqual(await second, false);
  strictEqual(inbox.size, 0);
  strictEqual(inbox.offer(3), false);
  strictEqual(await inbox.put(3), false);
  for await (const item of inbox) throw new Error(`Got ${item}`);
});

Deno.test("Inbox dispose ends a reader that waits", async () => {
  const inbox = new Inbox<number>(1);
  const reading = read(inbox, 5);
  await settle();
  inbox[Symbol.dispose]();
  deepStrictEqual(await reading, []);
});

Deno.test("Inbox keeps its items for the next reader", async () => {
  using inbox = new Inbox<number>(5);
  for (const item of [1, 2, 3]) inbox.offer(item);
  deepStrictEqual(await read(inbox, 1), [1]);
  deepStrictEqual(await read(inbox, 2), [2, 3]);
});

Deno.test("Inbox loses nothing to a reader that left while it waited", async () => {
  using inbox = new Inbox<number>(5);
  const reader = inbox[Symbol.asyncIterator]();
  const waiting = reader.next();
  await reader.return?.();
  strictEqual((await waiting).done, true);
  inbox.offer(1);
  deepStrictEqual(await read(inbox, 1), [1]);
});

Deno.test("Inbox refuses a second reader", () => {
  using inbox = new Inbox<number>(5);
  inbox[Symbol.asyncIterator]();
  throws(() => inbox[Symbol.asyncIterator](), InvariantError);
});

Deno.test("Inbox refuses a capacity that is no whole number above zero", () => {
  for (const capacity of [0, -1, 1.5, NaN, Infinity]) {
    throws(() => new Inbox(capacity), InvariantError);
  }
});

Deno.test("Inbox delivers everything once, in the order of each writer", async () => {
  await fc.assert(fc.asyncProperty(
    fc.scheduler(),
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 4 }),
    async (scheduler, capacity, counts) => {
      using inbox = new Inbox<readonly [number, number]>(capacity);
      const writers = counts.map(async (count, writer) => {
        for (let i = 0; i < count; i++) {
          await scheduler.schedule(Promise.resolve());
          strictEqual(await inbox.put([writer, i]), true);
          strictEqual(inbox.size <= capacity, true);
        }
      });
      const total = counts.reduce((sum, count) => sum + count, 0);
      const reading = read(inbox, total);
      await scheduler.waitFor(Promise.all([...writers, reading]));
      const items = await reading;
      for (const [writer, count] of counts.entries()) {
        deepStrictEqual(
          items.filter(([from]) => from === writer).map(([, i]) => i),
          Array.from({ length: count }, (_, i) => i),
        );
      }
      strictEqual(items.length, total);
    },
  ));
});

Deno.test("Inbox keeps the order of puts that nobody awaits", async () => {
  await fc.assert(fc.asyncProperty(
    fc.integer({ min: 1, max: 5 }),
    fc.nat({ max: 100 }),
    async (capacity, count) => {
      using inbox = new Inbox<number>(capacity);
      const puts = Array.from({ length: count }, (_, i) => inbox.put(i));
      const items = await read(inbox, count);
      deepStrictEqual(items, Array.from({ length: count }, (_, i) => i));
      strictEqual((await Promise.all(puts)).every(Boolean), true);
    },
  ));
});
