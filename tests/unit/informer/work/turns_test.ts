import { strictEqual } from "node:assert/strict";
import { Turns } from "../../../../mod/informer/work/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

/** After how many pieces from now on a turn is due; `Infinity` when not soon. */
function dueAfter(turns: Turns): number {
  for (let piece = 1; piece <= 1_000; piece++) {
    if (turns.isDue()) return piece;
  }
  return Infinity;
}

Deno.test("Turns asks for one after 128 pieces that took ten milliseconds, and again after another", async () => {
  const clock = new FakeClock();
  const turns = new Turns(clock, new AbortController().signal);
  strictEqual(dueAfter(turns), Infinity);
  await clock.advance(9);
  strictEqual(dueAfter(turns), Infinity);
  await clock.advance(1);
  const left = dueAfter(turns);
  strictEqual(left <= 128, true);
  strictEqual(dueAfter(turns), 128);
  const given = turns.give();
  strictEqual(clock.pendingTimers, 1);
  await clock.advance(0);
  await given;
  strictEqual(dueAfter(turns), Infinity);
  await clock.advance(10);
  strictEqual(dueAfter(turns) <= 128, true);
});

Deno.test("Turns.give() waits for nobody when it is stopped", async () => {
  const clock = new FakeClock();
  await new Turns(clock, AbortSignal.abort()).give();
  strictEqual(clock.pendingTimers, 0);
});
