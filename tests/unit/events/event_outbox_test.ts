/**
 * What waits to be told.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { SHOP_POD } from "../../support/events/event_delivery_rig.ts";

function rig() {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const recorder = new EventRecorder({ clock, log: silentLogger, metrics });
  const say = (reason: string, message: string = reason): void =>
    recorder.record(SHOP_POD, { type: "Normal", reason, message });
  return { clock, recorder, outbox: recorder.outbox, say };
}

Deno.test("EventOutbox.next() gives the oldest again until it is done with", () => {
  const { outbox, say } = rig();
  strictEqual(outbox.next(), undefined);
  say("One");
  say("Two");
  const one = outbox.next();
  strictEqual(one?.reason, "One");
  strictEqual(outbox.next()?.reason, "One");
  outbox.done({ sequence: one.sequence });
  const two = outbox.next();
  strictEqual(two?.reason, "Two");
  outbox.done(two);
  // What is done with stays so, whatever is said of it again.
  outbox.done(one);
  strictEqual(outbox.next(), undefined);
});

Deno.test("EventOutbox.next() gives times by the wall clock as it goes now", async () => {
  const { clock, outbox, say } = rig();
  clock.wall = 0;
  say("Early");
  await clock.advance(1_000);
  clock.wall = Date.UTC(2026, 6, 1);
  const event = outbox.next();
  strictEqual(event?.firstMs, Date.UTC(2026, 6, 1) - 1_000);
  strictEqual("trace" in event, false);
});

Deno.test("EventOutbox.next() looks past any number of events that nobody is told of", () => {
  const { recorder, outbox, say } = rig();
  for (let number = 0; number < 1_000; number++) {
    const pod = { ...SHOP_POD, uid: `u-${number}`, isLocal: true } as const;
    recorder.record(pod, { type: "Normal", reason: "Own", message: "" });
  }
  say("Wanted");
  strictEqual(outbox.next()?.reason, "Wanted");
});

Deno.test("EventOutbox.next() gives an event that was held back once the limit lets it through, with its count", async () => {
  const { clock, outbox, say } = rig();
  for (let number = 0; number < 25; number++) say(`R${number}`);
  say("Late");
  const reasons: string[] = [];
  const takeAll = (): void => {
    for (let event = outbox.next(); event; event = outbox.next()) {
      reasons.push(`${event.reason} ${event.count}`);
      outbox.done(event);
    }
  };
  takeAll();
  strictEqual(reasons.length, 25);
  await clock.advance(300_000);
  say("Late");
  takeAll();
  deepStrictEqual(reasons.slice(25), ["Late 2"]);
});

Deno.test("EventOutbox.next() gives an event that waits although the same was held back since", () => {
  const { outbox, say } = rig();
  say("Waits");
  for (let number = 0; number < 24; number++) say(`R${number}`);
  say("Waits");
  const event = outbox.next();
  deepStrictEqual([event?.reason, event?.count], ["Waits", 2]);
});

Deno.test("EventOutbox.whenMoved() calls the latest listener, until it is disposed of", () => {
  const { outbox, say } = rig();
  const calls: string[] = [];
  const first = outbox.whenMoved(() => void calls.push("first"));
  say("A");
  const second = outbox.whenMoved(() => void calls.push("second"));
  first[Symbol.dispose]();
  say("B");
  second[Symbol.dispose]();
  say("C");
  deepStrictEqual(calls, ["first", "second"]);
});

Deno.test("EventOutbox.takeLost() counts each event that was forgotten untold once", async () => {
  const { clock, outbox, say } = rig();
  say("Told");
  const told = outbox.next();
  if (told !== undefined) outbox.done(told);
  say("Lost");
  strictEqual(outbox.takeLost(), 0);
  await clock.advance(3_600_000);
  say("New");
  strictEqual(outbox.takeLost(), 1);
  strictEqual(outbox.takeLost(), 0);
  strictEqual(outbox.next()?.reason, "New");
});
