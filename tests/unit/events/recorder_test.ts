/**
 * What is kept and said of events.
 *
 * @module
 */

import {
  deepStrictEqual,
  doesNotMatch,
  match,
  ok,
  strictEqual,
} from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { systemRandom } from "../../../mod/base/mod.ts";
import { nodeRef } from "../../../mod/api/objects/mod.ts";
import type { PodEvent } from "../../../mod/api/types/mod.ts";
import { EventRecorder } from "../../../mod/events/recorder.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { seededRandom } from "../../support/seeded_random.ts";
import { linesTo } from "../../support/log_lines.ts";

const WEB = { name: "web", namespace: "shop", uid: "u-1" };
const OTHER = { name: "other", namespace: "shop", uid: "u-2" };

function rig() {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const lines: string[] = [];
  const log = linesTo(lines, { clock });
  return {
    clock,
    metrics,
    lines,
    recorder: new EventRecorder({ clock, log, metrics }),
  };
}

function event(fields: Partial<PodEvent> = {}): PodEvent {
  return {
    type: "Warning",
    reason: "BackOff",
    message: "Back-off restarting",
    ...fields,
  };
}

Deno.test("EventRecorder.record() counts a repeated event in one line that moves to the end", async () => {
  const { clock, recorder } = rig();
  const firstMs = clock.now();
  recorder.record(WEB, event());
  recorder.record(WEB, event({ reason: "Killing" }));
  await clock.advance(5_000);
  recorder.record(WEB, event());
  const [killing, repeated, ...rest] = recorder.list();
  strictEqual(killing?.reason, "Killing");
  deepStrictEqual(
    [repeated?.count, repeated?.firstMs, repeated?.lastMs],
    [2, firstMs, firstMs + 5_000],
  );
  deepStrictEqual(rest, []);
});

Deno.test("EventRecorder.record() says of the node that it is the node", () => {
  const { lines, recorder } = rig();
  recorder.record(nodeRef("n1"), event());
  match(lines[0] ?? "", /"message":"node_event","node":"n1","reason"/);
  doesNotMatch(lines[0] ?? "", /"pod"|"uid"/);
});

for (
  const [what, pod, fields] of [
    ["another pod", OTHER, {}],
    ["another reason", WEB, { reason: "Failed" }],
    ["another message", WEB, { message: "Something else" }],
    ["another container", WEB, { fieldPath: "spec.containers{b}" }],
  ] as const
) {
  Deno.test(`EventRecorder.record() keeps an event of ${what} apart`, () => {
    const { recorder } = rig();
    recorder.record(WEB, event());
    recorder.record(pod, event(fields));
    deepStrictEqual(recorder.list().map(({ count }) => count), [1, 1]);
  });
}

Deno.test("EventRecorder.list() gives those of one pod when asked", () => {
  const { recorder } = rig();
  recorder.record(WEB, event());
  recorder.record(OTHER, event());
  deepStrictEqual(recorder.list({ uid: "u-2" }).map(({ pod }) => pod), [OTHER]);
  deepStrictEqual(recorder.list({ uid: "u-3" }), []);
});

Deno.test("EventRecorder.record() keeps the newest of many pods", () => {
  const { recorder } = rig();
  for (let number = 0; number < 5_000; number++) {
    recorder.record({ ...WEB, uid: `u-${number}` }, event());
  }
  const kept = recorder.list();
  strictEqual(kept.length, 4_096);
  deepStrictEqual([kept[0]?.pod.uid, kept.at(-1)?.pod.uid], [
    "u-904",
    "u-4999",
  ]);
});

Deno.test("EventRecorder.record() combines the tenth message of a kind, whatever its container (client-go maxEvents)", () => {
  const { recorder } = rig();
  for (let number = 1; number <= 12; number++) {
    const fieldPath = `spec.containers{c${number % 3}}`;
    recorder.record(WEB, event({ message: `number ${number}`, fieldPath }));
  }
  const kept = recorder.list();
  strictEqual(kept.length, 10);
  strictEqual(kept[8]?.message, "number 9");
  deepStrictEqual(
    [kept[9]?.message, kept[9]?.count],
    ["(combined from similar events): number 12", 3],
  );
});

Deno.test("EventRecorder.record() goes on counting what is over the rate limit, without telling watchers", async () => {
  const { clock, metrics, recorder } = rig();
  for (let turn = 0; turn < 100; turn++) {
    recorder.record(WEB, event());
    await clock.advance(1_000);
  }
  const [kept, ...others] = recorder.list();
  deepStrictEqual(others, []);
  strictEqual(kept?.count, 100);
  strictEqual(kept.lastMs - kept.firstMs, 99_000);
  // 25 at once; the first of one more comes after five minutes.
  strictEqual(kept.sequence - kept.id, 24);
  match(metrics.render(), /skerry_events_limited_total\{type="Warning"\} 75/);
});

Deno.test("EventRecorder.record() shows the newest event of a pod whose limit is used up (I6)", () => {
  const { lines, recorder } = rig();
  for (let turn = 0; turn < 25; turn++) recorder.record(WEB, event());
  for (let turn = 0; turn < 3; turn++) {
    recorder.record(WEB, event({ reason: `Reason${turn}` }));
  }
  recorder.record(WEB, event({ reason: "Reason2" }));
  // Normal events have a limit of their own, as have those of other pods.
  recorder.record(WEB, event({ type: "Normal", reason: "Started" }));
  recorder.record(OTHER, event());
  deepStrictEqual(
    recorder.list().map(({ pod, reason, count }) => [pod.uid, reason, count]),
    [
      ["u-1", "BackOff", 25],
      ["u-1", "Reason2", 2],
      ["u-1", "Started", 1],
      ["u-2", "BackOff", 1],
    ],
  );
  deepStrictEqual(
    lines.map((line) => JSON.parse(line).reason),
    ["BackOff", "Reason0", "Started", "BackOff"],
  );
});

Deno.test("EventRecorder.record() gives an event its own place once the limit allows it, with its count", async () => {
  const { clock, recorder } = rig();
  for (let turn = 0; turn < 25; turn++) recorder.record(WEB, event());
  recorder.record(WEB, event({ reason: "Evicted" }));
  await clock.advance(300_000);
  recorder.record(WEB, event({ reason: "Evicted" }));
  recorder.record(WEB, event({ reason: "Failed" }));
  deepStrictEqual(
    recorder.list().map(({ reason, count }) => [reason, count]),
    [["BackOff", 25], ["Evicted", 2], ["Failed", 1]],
  );
});

Deno.test("EventRecorder.record() says how much it left unsaid over the limit", async () => {
  const { clock, lines, recorder } = rig();
  for (let turn = 0; turn < 25; turn++) recorder.record(WEB, event());
  for (let turn = 0; turn < 61; turn++) {
    recorder.record(WEB, event({ reason: `Reason${turn}` }));
    await clock.advance(1_000);
  }
  const last = JSON.parse(lines.at(-1) ?? "");
  deepStrictEqual([last.reason, last.unsaid, lines.length], [
    "Reason60",
    59,
    3,
  ]);
});

for (
  const [what, jumpMs] of [
    ["back by 40 s", -40_000],
    ["from 1970 to now", 1_790_000_000_000],
  ] as const
) {
  Deno.test(`EventRecorder keeps order and spans when the clock is set ${what}`, async () => {
    const { clock, recorder } = rig();
    if (jumpMs > 0) clock.wall = 0;
    recorder.record(WEB, event());
    await clock.advance(10_000);
    recorder.record(OTHER, event());
    clock.wall = clock.now() + jumpMs;
    await clock.advance(5_000);
    recorder.record(WEB, event());
    const [other, web] = recorder.list();
    deepStrictEqual([other?.pod, web?.pod], [OTHER, WEB]);
    deepStrictEqual(
      [web?.lastMs, (web?.lastMs ?? 0) - (web?.firstMs ?? 0)],
      [clock.now(), 15_000],
    );
    // Nor is what does not repeat told as of another time.
    const changes = recorder.watch(new AbortController().signal);
    for await (const change of changes) {
      deepStrictEqual(change, { kind: "added", event: other });
      break;
    }
    deepStrictEqual(
      [other?.firstMs, other?.lastMs],
      [clock.now() - 5_000, clock.now() - 5_000],
    );
  });
}

Deno.test("EventRecorder stays bounded under a random flood", () => {
  const seed = Math.trunc(systemRandom.next() * 2 ** 32);
  const random = seededRandom(seed);
  const next = () => random.next();
  const { recorder } = rig();
  const text = () => "x\ud800".repeat(Math.floor(next() * 2_000));
  for (let turn = 0; turn < 20_000; turn++) {
    recorder.record({
      name: next() < 0.01 ? text() : `pod-${Math.floor(next() * 3_000)}`,
      namespace: "default",
      uid: `u-${Math.floor(next() * 10_000)}`,
    }, {
      type: next() < 0.5 ? "Normal" : "Warning",
      reason: `Reason${Math.floor(next() * 50)}`,
      message: next() < 0.2 ? text() : `message ${turn}`,
      ...(next() < 0.5 && { fieldPath: text() }),
    });
  }
  const kept = recorder.list();
  const characters = JSON.stringify(kept).length;
  ok(kept.length <= 4_096, `seed ${seed}: ${kept.length} events`);
  ok(characters < 8 * 1024 * 1024, `seed ${seed}: ${characters} characters`);
  ok(
    kept.every((each, at) => each.sequence > (kept[at - 1]?.sequence ?? 0)),
    `seed ${seed}: out of order`,
  );
});

Deno.test("EventRecorder forgets an event an hour after it happened last, by the clock's own time, and sets no timer", async () => {
  const { clock, recorder } = rig();
  recorder.record(WEB, event());
  recorder.record(OTHER, event());
  await clock.advance(3_599_000);
  recorder.record(WEB, event());
  strictEqual(recorder.list().length, 2);
  clock.wall = clock.now() - 10_000_000;
  await clock.advance(1_000);
  deepStrictEqual(
    recorder.list().map(({ pod, count }) => [pod.uid, count]),
    [["u-1", 2]],
  );
  await clock.advance(3_600_000);
  deepStrictEqual(recorder.list(), []);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("EventRecorder.record() says a repeated event at most once a minute", async () => {
  const { clock, lines, recorder } = rig();
  for (let second = 0; second < 150; second++) {
    recorder.record(WEB, event());
    await clock.advance(1_000);
  }
  strictEqual(lines.length, 3);
  strictEqual(recorder.list()[0]?.count, 150);
});

Deno.test("EventRecorder.record() goes on saying events after the clock was set back", async () => {
  const { clock, lines, recorder } = rig();
  recorder.record(WEB, event());
  clock.wall = clock.now() - 3_600_000;
  await clock.advance(60_000);
  recorder.record(WEB, event());
  strictEqual(lines.length, 2);
});

Deno.test("EventRecorder.record() logs pod, reason and field, and warns of warnings only", () => {
  const { lines, recorder } = rig();
  recorder.record(WEB, event({ fieldPath: "spec.containers{c}" }));
  recorder.record(WEB, event({ type: "Normal", reason: "Started" }));
  const [warning, normal] = lines.map((line) => JSON.parse(line));
  deepStrictEqual([warning.level, normal.level], ["warn", "info"]);
  deepStrictEqual(
    [warning.message, warning.pod, warning.uid, warning.reason, warning.field],
    ["pod_event", "shop/web", "u-1", "BackOff", "spec.containers{c}"],
  );
});

Deno.test("EventRecorder.record() counts by type and reason", () => {
  const { metrics, recorder } = rig();
  recorder.record(WEB, event());
  recorder.record(OTHER, event());
  const text = metrics.render();
  match(
    text,
    /skerry_events_total\{type="Warning",reason="BackOff"\} 2/,
  );
});

Deno.test("EventRecorder.record() cuts long messages without breaking a character", () => {
  const { recorder } = rig();
  // The cut falls into the middle of the pair.
  recorder.record(WEB, event({ message: `${"x".repeat(1_023)}😀` }));
  const [kept] = recorder.list();
  strictEqual(kept?.message.length, 1_024);
  ok(kept.message.isWellFormed());
});

Deno.test("EventRecorder.watch() adds an event that happens again when it is not listed any more", async () => {
  const { clock, recorder } = rig();
  recorder.record(WEB, event());
  await clock.advance(3_590_000);
  recorder.expire();
  await clock.advance(20_000);
  deepStrictEqual(recorder.list(), []);
  const after = recorder.latest;
  recorder.record(WEB, event());
  const { signal } = new AbortController();
  const { value } = await recorder.watch(signal, { after }).next();
  strictEqual(value?.kind, "added");
});

Deno.test("EventRecorder.record() cuts long names, and keeps all others as they are", () => {
  const { recorder } = rig();
  const [long, kept] = ["n".repeat(257), "n".repeat(256)];
  recorder.record({ name: long, namespace: kept, uid: `${kept}u` }, {
    type: "Normal",
    reason: `${kept}r`,
    message: "",
    fieldPath: `${kept}f`,
  });
  const [found] = recorder.list();
  deepStrictEqual(found?.pod, { name: kept, namespace: kept, uid: kept });
  deepStrictEqual([found.reason, found.fieldPath], [kept, kept]);
});

Deno.test("EventRecorder.record() keeps a mark of byte order at the begin of a message", () => {
  const { recorder } = rig();
  recorder.record(WEB, event({ message: "\ufeffmarked" }));
  strictEqual(recorder.list()[0]?.message, "\ufeffmarked");
});

Deno.test("EventRecorder.expire() looks once a minute", async () => {
  const { clock, recorder } = rig();
  recorder.record(WEB, event());
  await clock.advance(60_000 * 59 + 1);
  recorder.expire();
  const { outbox } = recorder;
  // Nothing is forgotten before a minute is over, though it is too old by then.
  await clock.advance(59_999);
  recorder.expire();
  strictEqual(outbox.takeLost(), 0);
  await clock.advance(1);
  recorder.expire();
  strictEqual(outbox.takeLost(), 1);
});

Deno.test("EventRecorder.record() says nothing of what it left unsaid where that is nothing", () => {
  const { lines, recorder } = rig();
  recorder.record(WEB, event());
  strictEqual(lines.length, 1);
  doesNotMatch(lines[0] ?? "", /unsaid|count/);
});

Deno.test("EventRecorder.record() logs how often there was an event that is there again", async () => {
  const { clock, lines, recorder } = rig();
  recorder.record(WEB, event());
  await clock.advance(600_000);
  recorder.record(WEB, event());
  match(lines[1] ?? "", /\bcount\b\D*2\b/);
});
