/**
 * What sinks hear of pods that go.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { phaseStatus, statusPod } from "../../support/status/builders.ts";
import {
  deliveryRig,
  withDelivery,
} from "../../support/status/delivery_rig.ts";

Deno.test("StatusDelivery tells how a pod ended before it tells that it is gone", () =>
  withDelivery(async ({ clock, statuses, sink, set }) => {
    set("u", "Running");
    await clock.advance(0);
    // A release does all of this between two turns of the loop.
    statuses.terminatePod(statusPod("u"));
    statuses.setPodStatus(statusPod("u"), phaseStatus("Failed"));
    statuses.remove("u");
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Running", "Failed"]);
    strictEqual(sink.puts.at(-1)?.finished, true);
    deepStrictEqual(sink.removed, ["u"]);
    await clock.advance(60_000);
    strictEqual(sink.puts.length, 2);
    deepStrictEqual(sink.removed, ["u"]);
  }));

Deno.test("StatusDelivery tells how a pod ended again when the sink refused it, and then that it is gone", () =>
  withDelivery(async ({ clock, statuses, sink, set }) => {
    set("u", "Running");
    await clock.advance(0);
    sink.script.set("u", ["fails"]);
    set("u", "Failed");
    statuses.remove("u");
    await clock.advance(0);
    deepStrictEqual(sink.removed, []);
    await clock.advance(10_000);
    deepStrictEqual(sink.told("u"), ["Running", "Failed", "Failed"]);
    deepStrictEqual(sink.removed, ["u"]);
  }));

Deno.test("StatusDelivery tells how a pod ended before it tells of its next life", () =>
  withDelivery(async ({ clock, statuses, sink, set }) => {
    set("u", "Running");
    await clock.advance(0);
    set("u", "Failed");
    statuses.renew("u");
    set("u", "Pending");
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Running", "Failed", "Pending"]);
    deepStrictEqual(sink.removed, []);
  }));

Deno.test("StatusDelivery does not tell a sink how a pod ended that lost what it had of it", () =>
  withDelivery(async ({ clock, statuses, sink, delivery, set }) => {
    set("u", "Running");
    await clock.advance(0);
    // The directory of its record went, and may be that of its next life already.
    set("u", "Failed");
    delivery.forget("u");
    statuses.remove("u");
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Running"]);
    deepStrictEqual(sink.removed, ["u"]);
  }));

Deno.test("StatusDelivery does not tell a sink how a pod ended that had no place for it before", () =>
  withDelivery(async ({ clock, statuses, sink, set }) => {
    sink.script.set("u", ["deferred"]);
    set("u", "Running");
    await clock.advance(0);
    set("u", "Failed");
    statuses.remove("u");
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Running"]);
    deepStrictEqual(sink.removed, ["u"]);
  }));

Deno.test("StatusDelivery.forget() withdraws what is not told yet, and has all of it told at the next flush", () =>
  withDelivery(async ({ clock, sink, delivery, set }) => {
    set("u", "Running");
    await clock.advance(0);
    set("u", "Failed");
    delivery.forget("u");
    await clock.advance(60_000);
    deepStrictEqual(sink.told("u"), ["Running"]);
    await delivery.flush("u");
    deepStrictEqual(sink.told("u"), ["Running", "Failed"]);
    deepStrictEqual(sink.puts.at(-1)?.patch(), phaseStatus("Failed"));
  }));

Deno.test("StatusDelivery tells a sink that a pod is gone that forgot it while it heard how the pod ended", () =>
  withDelivery(async ({ clock, statuses, sink, delivery, set }) => {
    set("u", "Running");
    await clock.advance(0);
    sink.script.set("u", ["hangs"]);
    set("u", "Failed");
    statuses.remove("u");
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Running", "Failed"]);
    delivery.forget("u");
    sink.gates.get("u")?.();
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Running", "Failed"]);
    deepStrictEqual(sink.removed, ["u"]);
  }));

Deno.test("StatusDelivery leaves a pod of the same name alone that took the place of one that ended", () =>
  withDelivery(async ({ clock, statuses, sink, set }) => {
    set("u", "Running");
    await clock.advance(0);
    sink.script.set("u", ["replaced"]);
    set("u", "Failed");
    statuses.remove("u");
    await clock.advance(60_000);
    deepStrictEqual(sink.told("u"), ["Running", "Failed"]);
    deepStrictEqual(sink.removed, []);
  }));

for (const answer of ["deferred", "fails"] as const) {
  Deno.test(`StatusDelivery tells a sink that wants it how a pod ended, although it was the first that it took: ${answer}`, () =>
    withDelivery(async ({ clock, statuses, sink, delivery, set }) => {
      sink.wantsEnds = true;
      sink.script.set("u", [answer]);
      set("u", "Running");
      await clock.advance(0);
      set("u", "Failed");
      statuses.remove("u");
      strictEqual(delivery.isPending("u"), true);
      await clock.advance(10_000);
      deepStrictEqual(sink.told("u"), ["Running", "Failed"]);
      deepStrictEqual(sink.removed, ["u"]);
      strictEqual(delivery.isPending("u"), false);
    }));
}

Deno.test("StatusDelivery tells a sink that wants ends how a pod ended that came and went at once, and nothing of one without a status", () =>
  withDelivery(async ({ clock, statuses, sink, delivery, set }) => {
    sink.wantsEnds = true;
    set("u", "Failed");
    statuses.remove("u");
    statuses.remove("other");
    strictEqual(delivery.isPending("other"), false);
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Failed"]);
    deepStrictEqual(sink.removed, ["u"]);
  }));

for (const failsAsOne of [true, false, undefined]) {
  Deno.test(`StatusDelivery tries one of the pods that failed, or all: failsAsOne ${failsAsOne}`, async () => {
    const { clock, delivery, sink, set } = deliveryRig(
      undefined,
      failsAsOne === undefined ? {} : { failsAsOne },
    );
    const stop = new AbortController();
    const running = delivery.run(stop.signal);
    for (const uid of ["u1", "u2", "u3"]) {
      sink.script.set(uid, ["fails", "fails"]);
      set(uid, "Running");
    }
    await clock.advance(999);
    strictEqual(sink.puts.length, 3);
    await clock.advance(1);
    strictEqual(sink.puts.length, failsAsOne === true ? 4 : 6);
    stop.abort();
    await running;
  });
}
