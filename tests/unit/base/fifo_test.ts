/**
 * The queue beneath inboxes.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { Fifo } from "../../../mod/base/fifo.ts";

Deno.test("Fifo behaves like an array that is pushed and shifted", () => {
  fc.assert(fc.property(
    fc.array(fc.option(fc.nat()), { maxLength: 400 }),
    (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      for (const step of steps) {
        if (step === null) strictEqual(fifo.shift(), model.shift());
        else {
          fifo.push(step);
          model.push(step);
        }
        strictEqual(fifo.size, model.length);
      }
    },
  ));
});

Deno.test("Fifo keeps order through compaction", () => {
  const fifo = new Fifo<number>();
  const seen: (number | undefined)[] = [];
  for (let i = 0; i < 1_000; i++) fifo.push(i);
  while (fifo.size > 0) seen.push(fifo.shift());
  deepStrictEqual(seen, Array.from({ length: 1_000 }, (_, i) => i));
});

Deno.test("Fifo.clear() forgets every item", () => {
  const fifo = new Fifo<number>();
  for (let i = 0; i < 100; i++) fifo.push(i);
  fifo.shift();
  fifo.clear();
  strictEqual(fifo.size, 0);
  strictEqual(fifo.shift(), undefined);
});
