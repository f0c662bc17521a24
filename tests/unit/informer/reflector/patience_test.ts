import { strictEqual } from "node:assert/strict";
import { Patience } from "../../../../mod/informer/reflector/patience.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

Deno.test("Patience.within() ends after a time, counted from the last call", async () => {
  const clock = new FakeClock();
  using patience = new Patience(clock, new AbortController().signal);
  patience.within(1_000);
  await clock.advance(900);
  patience.within(1_000);
  await clock.advance(999);
  strictEqual(patience.isOver, false);
  await clock.advance(1);
  strictEqual(patience.isOver, true);
  strictEqual(patience.signal.reason.name, "TimeoutError");
});

Deno.test("Patience.whileMoving() ends when a number stands still", async () => {
  const clock = new FakeClock();
  using patience = new Patience(clock, new AbortController().signal);
  let events = 0;
  patience.whileMoving(1_000, () => events);
  for (let look = 0; look < 5; look++) {
    events++;
    await clock.advance(1_000);
    strictEqual(patience.isOver, false);
  }
  await clock.advance(1_000);
  strictEqual(patience.isOver, true);
});

Deno.test("Patience ends with its parent, and then it is not over", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  {
    using patience = new Patience(clock, stop.signal);
    patience.within(1_000);
    stop.abort(new Error("stop"));
    strictEqual(patience.signal.reason.message, "stop");
    strictEqual(patience.isOver, false);
  }
  strictEqual(clock.pendingTimers, 0);
  using late = new Patience(clock, stop.signal);
  strictEqual(late.signal.aborted, true);
  await clock.advance(0);
});

Deno.test("Patience that is disposed follows its parent no more", () => {
  const stop = new AbortController();
  const patience = new Patience(new FakeClock(), stop.signal);
  patience[Symbol.dispose]();
  stop.abort();
  strictEqual(patience.signal.aborted, false);
});
