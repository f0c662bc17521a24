/**
 * How statuses reach a sink that is slow, refuses, or has another pod (ST-11).
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { messagesTo } from "../../support/log_lines.ts";
import { phaseStatus, statusPod } from "../../support/status/builders.ts";
import {
  deliveryRig,
  type SinkAnswer,
  withDelivery,
} from "../../support/status/delivery_rig.ts";

// status_manager_test.go TestNewStatus, TestUnchangedStatus, TestSyncPodBatch.
Deno.test("StatusDelivery tells a change at once, and nothing when nothing changed", () =>
  withDelivery(async ({ clock, sink, set }) => {
    set("u", "Pending");
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Pending"]);
    set("u", "Pending");
    await clock.advance(60_000);
    strictEqual(sink.puts.length, 1);
    set("u", "Running");
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Pending", "Running"]);
    deepStrictEqual(sink.puts[1]?.patch(), { phase: "Running" });
    strictEqual(clock.pendingTimers, 0);
  }));

Deno.test("StatusDelivery tells only the newest of several changes at once", () =>
  withDelivery(async ({ clock, sink, set }) => {
    for (const phase of ["Pending", "Running", "Failed"]) set("u", phase);
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Failed"]);
  }));

Deno.test("StatusDelivery holds up no pod behind a slow one, and of that one tells the newest next (ST-11)", () =>
  withDelivery(async ({ clock, sink, set }) => {
    sink.script.set("slow", ["hangs"]);
    set("slow", "Pending");
    await clock.advance(0);
    for (const phase of ["Running", "Failed"]) {
      set("slow", phase);
      set("quick", phase);
      await clock.advance(0);
    }
    deepStrictEqual(sink.told("quick"), ["Running", "Failed"]);
    deepStrictEqual(sink.told("slow"), ["Pending"]);
    sink.gates.get("slow")?.();
    await clock.advance(0);
    deepStrictEqual(sink.told("slow"), ["Pending", "Failed"]);
    strictEqual(sink.mostInFlight, 1);
  }));

interface Race {
  readonly name: string;
  readonly answers: readonly SinkAnswer[];
  /** What is set meanwhile, one after each answer. */
  readonly later: readonly string[];
  readonly told: readonly string[];
  readonly known: boolean;
}

// TestSyncPodChecksMismatchedUID, TestStaleUpdates, TestSyncPodNoDeadlock.
const races: readonly Race[] = [
  {
    name: "drops what nobody has any more (404)",
    answers: ["gone"],
    later: [],
    told: ["Pending"],
    known: true,
  },
  {
    name: "asks again with what is newer than a 404",
    answers: ["gone"],
    later: ["Running"],
    told: ["Pending", "Running"],
    known: true,
  },
  {
    name: "drops what it knows of a pod that was replaced by another UID",
    answers: ["replaced"],
    later: [],
    told: ["Pending"],
    known: false,
  },
  {
    name: "tries again after a conflict (409)",
    answers: ["fails"],
    later: [],
    told: ["Pending", "Pending"],
    known: true,
  },
  {
    name: "tries again as often as a server fails (500)",
    answers: ["fails", "fails", "fails"],
    later: [],
    told: ["Pending", "Pending", "Pending", "Pending"],
    known: true,
  },
  {
    name: "tries again with the newest only, never with what failed",
    answers: ["fails"],
    later: ["Running"],
    told: ["Pending", "Running"],
    known: true,
  },
  {
    name: "comes back with the next change to whom it was too early",
    answers: ["deferred"],
    later: ["Running"],
    told: ["Pending", "Running"],
    known: true,
  },
  {
    name: "does not press whom it was too early for",
    answers: ["deferred"],
    later: [],
    told: ["Pending"],
    known: true,
  },
];
for (const { name, answers, later, told, known } of races) {
  Deno.test(`StatusDelivery ${name} (ST-11)`, () =>
    withDelivery(async ({ clock, sink, statuses, set }) => {
      sink.script.set("u", [...answers]);
      set("u", "Pending");
      await clock.advance(0);
      for (const phase of later) {
        set("u", phase);
        await clock.advance(0);
      }
      await clock.advance(600_000);
      deepStrictEqual(sink.told("u"), told);
      strictEqual(statuses.get("u") !== undefined, known);
      // Another pod has the name of what was replaced; it is not to go.
      deepStrictEqual(sink.removed, []);
      strictEqual(clock.pendingTimers, 0);
      const versions = sink.puts.map(({ version }) => version);
      deepStrictEqual(versions, versions.toSorted((a, b) => a - b));
    }));
}

Deno.test("StatusDelivery waits longer after each failure, up to some seconds (ST-11)", () =>
  withDelivery(async ({ clock, sink, set }) => {
    sink.script.set("u", Array.from({ length: 8 }, () => "fails" as const));
    set("u", "Pending");
    await clock.advance(0);
    strictEqual(sink.puts.length, 1);
    await clock.advance(600);
    strictEqual(sink.puts.length, 1);
    await clock.advance(2_000);
    ok(sink.puts.length >= 2 && sink.puts.length <= 3);
    await clock.advance(60_000);
    strictEqual(sink.puts.length, 9);
  }));

Deno.test("StatusDelivery tries again after one, two, four and five seconds, and says so once (ST-11)", async () => {
  const told: string[] = [];
  await withDelivery(async ({ clock, sink, set }) => {
    sink.script.set("u", Array.from({ length: 5 }, () => "fails" as const));
    set("u", "Pending");
    for (const delayMs of [0, 1_000, 2_000, 4_000, 5_000, 5_000]) {
      const before = sink.puts.length;
      if (delayMs > 0) await clock.advance(delayMs - 1);
      strictEqual(sink.puts.length, before);
      await clock.advance(delayMs > 0 ? 1 : 0);
      strictEqual(sink.puts.length, before + 1);
    }
    strictEqual(clock.pendingTimers, 0);
  }, messagesTo(told));
  deepStrictEqual(told, ["status_failed", "status_recovered"]);
});

Deno.test("StatusDelivery has sixteen updates on their way at the same time", () =>
  withDelivery(async ({ clock, sink, set }) => {
    const uids = Array.from({ length: 20 }, (_, at) => `u${at}`);
    for (const uid of uids) {
      sink.script.set(uid, ["hangs"]);
      set(uid, "Running");
    }
    await clock.advance(0);
    strictEqual(sink.puts.length, 16);
    for (const uid of uids) sink.gates.get(uid)?.();
    await clock.advance(0);
    strictEqual(sink.puts.length, 20);
    for (const uid of uids) sink.gates.get(uid)?.();
  }));

Deno.test("StatusDelivery says that it drops what is known of a pod that was replaced", async () => {
  const told: string[] = [];
  await withDelivery(async ({ clock, sink, set }) => {
    sink.script.set("u", ["replaced"]);
    set("u", "Pending");
    await clock.advance(0);
  }, messagesTo(told));
  deepStrictEqual(told, ["status_dropped"]);
});

Deno.test("StatusDelivery patches against what the sink took, not against what it was offered", () =>
  withDelivery(async ({ clock, sink, statuses, set }) => {
    set("u", "Pending");
    await clock.advance(0);
    sink.script.set("u", ["fails"]);
    statuses.setPodStatus(statusPod("u"), {
      ...phaseStatus("Running"),
      podIP: "10.0.0.1",
    });
    await clock.advance(0);
    set("u", "Running");
    await clock.advance(10_000);
    deepStrictEqual(sink.puts.at(-1)?.patch(), { phase: "Running" });
  }));

Deno.test("StatusDelivery tells that a pod is gone, once, and not of one that it never told of", () =>
  withDelivery(async ({ clock, sink, statuses, set }) => {
    set("u", "Running");
    set("never", "Running");
    statuses.remove("never");
    await clock.advance(0);
    statuses.remove("u");
    await clock.advance(60_000);
    deepStrictEqual(sink.removed, ["u"]);
    set("u", "Pending");
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Running", "Pending"]);
    deepStrictEqual(sink.puts.at(-1)?.patch(), phaseStatus("Pending"));
  }));

Deno.test("StatusDelivery does not say again how a pod ended when the pod is back and its next status fails", () =>
  withDelivery(async ({ clock, sink, statuses, set }) => {
    set("u", "Running");
    await clock.advance(0);
    sink.script.set("u", ["fails", "taken", "fails", "fails"]);
    set("u", "Failed");
    await clock.advance(0);
    statuses.remove("u");
    set("u", "Pending");
    await clock.advance(60_000);
    deepStrictEqual(sink.told("u"), [
      ...["Running", "Failed", "Failed"],
      ...["Pending", "Pending", "Pending"],
    ]);
  }));

Deno.test("StatusDelivery tells of a pod that ended under an earlier agent as soon as it is wanted", () =>
  withDelivery(async ({ clock, sink, statuses }) => {
    const ended = phaseStatus("Succeeded");
    statuses.restore("u", { restartCounts: {}, ended });
    await clock.advance(0);
    strictEqual(sink.puts.length, 0);
    statuses.setPodStatus(statusPod("u"), ended);
    await clock.advance(0);
    deepStrictEqual(sink.told("u"), ["Succeeded"]);
  }));

Deno.test("StatusDelivery.flush() brings the newest now, whatever is on its way", () =>
  withDelivery(async ({ clock, sink, delivery, set }) => {
    sink.script.set("u", ["hangs"]);
    set("u", "Pending");
    await clock.advance(0);
    set("u", "Running");
    const flushed = delivery.flush("u");
    sink.gates.get("u")?.();
    await flushed;
    deepStrictEqual(sink.told("u"), ["Pending", "Running"]);
    await delivery.flush("u");
    strictEqual(sink.puts.length, 2);
    strictEqual(sink.mostInFlight, 1);
  }));

Deno.test("StatusDelivery.flush() needs nobody to run, and what fails then is told later", async () => {
  const { clock, sink, delivery, set } = deliveryRig();
  sink.script.set("u", ["fails"]);
  set("u", "Running");
  await delivery.flush("u");
  strictEqual(sink.puts.length, 1);
  const stop = new AbortController();
  const running = delivery.run(stop.signal);
  await clock.advance(10_000);
  deepStrictEqual(sink.told("u"), ["Running", "Running"]);
  stop.abort();
  await running;
});

Deno.test("StatusDelivery.run() ends with its signal while updates hang and wait", async () => {
  await withDelivery(async ({ clock, sink, set }) => {
    sink.script.set("a", ["hangs"]);
    sink.script.set("b", ["fails"]);
    set("a", "Running");
    set("b", "Running");
    await clock.advance(0);
    strictEqual(sink.puts.length, 2);
  });
});

Deno.test("StatusDelivery names the pods that are gone as long as it could not tell how they ended", () =>
  withDelivery(async ({ clock, sink, set, statuses, delivery }) => {
    const endings = () =>
      delivery.endings().map(({ metadata: { uid } }) => uid);
    for (const uid of ["runs", "told", "ends"]) set(uid, "Running");
    await clock.advance(0);
    sink.script.set("ends", ["fails"]);
    sink.script.set("runs", ["fails"]);
    for (const uid of ["runs", "ends"]) set(uid, "Failed");
    for (const uid of ["told", "ends"]) statuses.remove(uid);
    deepStrictEqual(endings(), ["ends"]);
    await clock.advance(0);
    deepStrictEqual(endings(), ["ends"]);
    await clock.advance(1_000);
    deepStrictEqual(endings(), []);
    deepStrictEqual(sink.told("ends"), ["Running", "Failed", "Failed"]);
  }));
