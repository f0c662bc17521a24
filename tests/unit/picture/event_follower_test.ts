/**
 * Following the runtime's stream of events: when it is asked for, what is said of it,
 * and how what it tells is compared with what lists find.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type {
  ContainerEvent,
  RuntimeEvent,
} from "../../../mod/cri/events/mod.ts";
import type { ContainerMoved } from "../../../mod/picture/diff.ts";
import { EventFollower } from "../../../mod/picture/event_follower.ts";
import { ListPace } from "../../../mod/picture/list_pace.ts";
import { neverOpen } from "../../support/picture/picture.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { EventScript, failure } from "../../support/picture/model_runtime.ts";
import { linesTo } from "../../support/log_lines.ts";

const BASE_MS = 1_000;

/** A stream that is followed, and all that it says of itself. */
class StreamRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly script: EventScript = new EventScript();
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly taken: ContainerEvent[] = [];
  /** Lists that were asked for because of the stream. */
  readonly pulls: ("at_once" | "soon")[] = [];
  readonly pace: ListPace;
  readonly follower: EventFollower;
  /** Stands between the script and the stream: what is asked waits for it. */
  gate: Promise<void> | undefined;
  #listeners = 0;
  readonly #log: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: { readonly hasEvents?: boolean } = {}) {
    const { clock, metrics } = this;
    const { hasEvents = true } = options;
    const log = linesTo(this.#log, { clock });
    const pace = new ListPace({ clock, metrics }, { relistPeriodMs: BASE_MS });
    pace.pull = (when) => this.pulls.push(when);
    this.pace = pace;
    this.follower = new EventFollower({
      clock,
      metrics,
      log,
      pace,
      stream: hasEvents ? (signal) => this.#follow(signal) : neverOpen,
      listeners: [{ announce: (event) => this.taken.push(event) }],
    });
    this.#countListeners(this.#stop.signal);
    this.#running = this.follower.run(this.#stop.signal)
      .catch((error) => strictEqual(error, this.#stop.signal.reason));
  }

  /** How many listen to the signal that ends the stream. */
  get listeners(): number {
    return this.#listeners;
  }

  /** What the log said since the last call. */
  logged(): string[] {
    return this.#log.splice(0).map((line) => JSON.parse(line).message);
  }

  /** The value of a metric without labels. */
  metric(name: string): number | undefined {
    const line = this.metrics.render().split("\n")
      .find((line) => line.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  }

  /** Lets so many clean lists pass that the stream is trusted. */
  async trust(): Promise<void> {
    await this.clock.advance(0);
    for (let times = 0; times < 3; times++) this.pace.listed("done");
    strictEqual(this.pace.periodMs, 10_000);
  }

  /** A look has found this, of a pod whose state was last seen at `sinceMs`. */
  found(
    kind: ContainerMoved["kind"],
    containerId: string,
    sinceMs: number = this.clock.monotonic(),
  ): void {
    this.pace.judge([{ kind, podUid: "u", containerId }], sinceMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("enough"));
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }

  #countListeners(signal: AbortSignal): void {
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: unknown[]) => {
      this.#listeners++;
      Reflect.apply(addEventListener, signal, args);
    };
    signal.removeEventListener = (...args: unknown[]) => {
      this.#listeners--;
      Reflect.apply(removeEventListener, signal, args);
    };
  }

  async *#follow(signal: AbortSignal): AsyncIterable<RuntimeEvent> {
    await this.gate;
    yield* this.script.open(signal);
  }
}

Deno.test("EventFollower.run() asks a runtime that has no stream again every five minutes", async () => {
  await using rig = new StreamRig();
  rig.script.refusal = failure("unimplemented");
  await rig.clock.advance(299_999);
  strictEqual(rig.script.opened, 1);
  await rig.clock.advance(1);
  strictEqual(rig.script.opened, 2);
  rig.script.refusal = undefined;
  await rig.clock.advance(300_000);
  strictEqual(rig.script.opened, 3);
  strictEqual(rig.pace.isOpen, true);
});

Deno.test("EventFollower.run() says once that a runtime has no stream, however often it is asked (I5)", async () => {
  await using rig = new StreamRig();
  rig.script.refusal = failure("unimplemented");
  await rig.clock.advance(1_000_000);
  deepStrictEqual(rig.logged(), ["runtime_events_absent"]);
  strictEqual(rig.metric("kubelet_evented_pleg_connection_error_count"), 0);
  rig.script.refusal = failure("unavailable");
  await rig.clock.advance(400_000);
  deepStrictEqual(rig.logged(), ["runtime_events_lost"]);
  rig.script.refusal = undefined;
  await rig.clock.advance(30_000);
  deepStrictEqual(rig.logged(), ["runtime_events_connected"]);
  rig.script.end(failure("unavailable"));
  await rig.clock.advance(0);
  deepStrictEqual(rig.logged(), ["runtime_events_lost"]);
});

Deno.test("EventFollower.run() asks again a second after the runtime's return, whether there was no stream or it was lost", async () => {
  for (const kind of ["unimplemented", "unavailable"] as const) {
    await using rig = new StreamRig();
    rig.script.refusal = failure(kind);
    // After 1, 2, 4, 8 and 16 seconds; the next attempt would come in 30.
    await rig.clock.advance(32_000);
    const before = rig.script.opened;
    rig.follower.runtimeReturned();
    await rig.clock.advance(999);
    strictEqual(rig.script.opened, before);
    await rig.clock.advance(1);
    strictEqual(rig.script.opened, before + 1);
    await rig.clock.advance(20_000);
    strictEqual(rig.script.opened, before + 1, "one return, one attempt");
  }
});

Deno.test("EventFollower.run() loses no return of the runtime that comes while it asks for the stream", async () => {
  await using rig = new StreamRig();
  const gate = Promise.withResolvers<void>();
  rig.gate = gate.promise;
  rig.script.refusal = failure("unimplemented");
  await rig.clock.advance(5_000);
  rig.follower.runtimeReturned();
  gate.resolve();
  await rig.clock.advance(0);
  strictEqual(rig.script.opened, 1);
  rig.script.refusal = undefined;
  await rig.clock.advance(1_000);
  strictEqual(rig.pace.isOpen, true);
});

Deno.test("EventFollower.run() does nothing while the stream is not open", async () => {
  await using rig = new StreamRig({ hasEvents: false });
  await rig.clock.advance(600_000);
  deepStrictEqual([rig.logged(), rig.pulls, rig.script.opened], [[], [], 0]);
  strictEqual(rig.metric("skerry_pleg_relist_period_seconds"), 1);
});

Deno.test("EventFollower.run() leaves no listener behind, however often it waits", async () => {
  await using rig = new StreamRig();
  rig.script.refusal = failure("unimplemented");
  await rig.clock.advance(3_000_000);
  strictEqual(rig.script.opened, 11);
  strictEqual(rig.listeners, 1);
});

Deno.test("EventFollower.run() asks for a list when the stream opens, and passes on what it announces: it, moves, misses something and breaks", async () => {
  await using rig = new StreamRig();
  await rig.clock.advance(0);
  deepStrictEqual([rig.pulls.length, rig.pace.isOpen], [1, true]);
  rig.script.announce("started", "a");
  rig.script.miss();
  await rig.clock.advance(0);
  deepStrictEqual(
    [rig.taken.map(({ containerId }) => containerId), rig.pulls.length],
    [["a"], 2],
  );
  rig.script.end(failure("unavailable"));
  await rig.clock.advance(0);
  deepStrictEqual([rig.pulls.length, rig.pace.isOpen], [3, false]);
  rig.script.refusal = failure("unavailable");
  await rig.clock.advance(10_000);
  // What was not open asks for no list.
  deepStrictEqual(rig.pulls, ["at_once", "at_once", "at_once"]);
  strictEqual(rig.metric("kubelet_evented_pleg_connection_success_count"), 1);
  strictEqual(rig.metric("kubelet_evented_pleg_connection_error_count"), 4);
});

Deno.test("ListPace.listed() counts as missed what half a second was not enough to tell", async () => {
  await using rig = new StreamRig();
  await rig.trust();
  rig.found("container_died", "a");
  strictEqual(rig.pace.periodMs, BASE_MS, "looked at again soon");
  await rig.clock.advance(499);
  rig.pace.listed("done");
  rig.script.announce("stopped", "a");
  await rig.clock.advance(0);
  strictEqual(rig.pace.periodMs, 10_000, "told a little late");
  rig.found("container_died", "b");
  await rig.clock.advance(500);
  rig.pace.listed("done");
  for (let times = 0; times < 5; times++) rig.pace.listed("done");
  strictEqual(rig.pace.periodMs, BASE_MS, "missed");
  rig.found("container_started", "c");
  rig.script.announce("started", "c");
  await rig.clock.advance(0);
  for (let times = 0; times < 3; times++) rig.pace.listed("done");
  strictEqual(rig.pace.periodMs, 10_000, "it has told something true");
});

Deno.test("ListPace.listed() holds nothing against a stream that broke before it could tell", async () => {
  await using rig = new StreamRig();
  await rig.trust();
  rig.found("container_died", "a");
  rig.script.end(failure("unavailable"));
  await rig.clock.advance(1_000);
  await rig.trust();
});

Deno.test("ListPace.judge() finds true what was told before, up or down", async () => {
  await using rig = new StreamRig();
  await rig.trust();
  rig.script.announce("started", "a");
  rig.script.announce("deleted", "b");
  await rig.clock.advance(0);
  rig.found("container_started", "a");
  rig.found("container_died", "b");
  strictEqual(rig.pace.periodMs, 10_000);
  // What was told of one way is not told of the other.
  rig.found("container_died", "a");
  strictEqual(rig.pace.periodMs, BASE_MS);
});

Deno.test("ListPace.judge() holds nothing against a stream that was not open yet when the change may have come", async () => {
  await using rig = new StreamRig();
  await rig.clock.advance(5_000);
  rig.script.end(failure("unavailable"));
  await rig.clock.advance(1_000);
  await rig.trust();
  const openMs = 6_000;
  rig.found("container_died", "a", openMs - 1);
  rig.pace.judge(
    [{ kind: "container_died", podUid: "u", containerId: "b" }],
    undefined,
  );
  strictEqual(rig.pace.periodMs, 10_000);
  rig.found("container_died", "c", openMs);
  strictEqual(rig.pace.periodMs, BASE_MS);
});

for (
  const kind of [
    "container_removed",
    "container_changed",
    "container_lost",
  ] as const
) {
  Deno.test(`ListPace.judge() asks no stream to tell of a ${kind}`, async () => {
    await using rig = new StreamRig();
    await rig.trust();
    rig.found(kind, "a");
    await rig.clock.advance(1_000);
    rig.pace.listed("done");
    strictEqual(rig.pace.periodMs, 10_000);
  });
}

Deno.test("ListPace.listed() begins anew after a list that failed", async () => {
  await using rig = new StreamRig();
  await rig.trust();
  rig.pace.listed("failed");
  strictEqual(rig.pace.periodMs, BASE_MS);
  strictEqual(rig.metric("skerry_pleg_relist_period_seconds"), 1);
  await rig.trust();
  strictEqual(rig.metric("skerry_pleg_relist_period_seconds"), 10);
});

Deno.test("EventFollower measures how long an event took, if the clocks allow", async () => {
  await using rig = new StreamRig();
  await rig.clock.advance(0);
  rig.script.announce("started", "a", { at: rig.clock.now() - 20 });
  rig.script.announce("stopped", "a", { at: rig.clock.now() + 20 });
  await rig.clock.advance(0);
  const name = "kubelet_evented_pleg_connection_latency_seconds";
  strictEqual(rig.metric(`${name}_count`), 1);
  strictEqual(rig.metric(`${name}_sum`), 0.02);
  match(rig.metrics.render(), new RegExp(`${name}_bucket{le="0.025"} 1`));
  match(rig.metrics.render(), new RegExp(`${name}_bucket{le="0.01"} 0`));
  rig.script.announce("started", "b", { at: rig.clock.now() });
  await rig.clock.advance(0);
  strictEqual(rig.metric(`${name}_count`), 2);
});

Deno.test("ListPace keeps in mind what was told last, and a bounded number of that", async () => {
  await using rig = new StreamRig();
  await rig.trust();
  for (let at = 0; at <= 4_096; at++) {
    rig.script.announce("stopped", `c${at}`);
    if (at % 500 === 0) await rig.clock.advance(0);
  }
  await rig.clock.advance(0);
  rig.found("container_died", "c1");
  strictEqual(rig.pace.periodMs, 10_000);
  rig.found("container_died", "c0");
  strictEqual(rig.pace.periodMs, BASE_MS);
});
