/**
 * What is kept and said of events.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createLogger, MetricsRegistry } from "../../../mod/base/mod.ts";
import type { PodEvent } from "../../../mod/api/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const WEB = { name: "web", namespace: "shop", uid: "u-1" };
const OTHER = { name: "other", namespace: "shop", uid: "u-2" };

function rig() {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const lines: string[] = [];
  const log = createLogger({
    level: "info",
    format: "json",
    clock,
    write: (line) => lines.push(line),
  });
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
  deepStrictEqual(recorder.list("u-2").map(({ pod }) => pod), [OTHER]);
  deepStrictEqual(recorder.list("u-3"), []);
});

Deno.test("EventRecorder.record() keeps the newest thousand", () => {
  const { recorder } = rig();
  for (let number = 0; number < 2_500; number++) {
    recorder.record(WEB, event({ message: `number ${number}` }));
  }
  const kept = recorder.list();
  strictEqual(kept.length, 1_000);
  strictEqual(kept[0]?.message, "number 1500");
  strictEqual(kept.at(-1)?.message, "number 2499");
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
  recorder.record(WEB, event());
  await clock.advance(60_000);
  recorder.record(WEB, event());
  strictEqual(lines.length, 3);
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
