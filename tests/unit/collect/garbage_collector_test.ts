/**
 * Removing garbage, piece by piece.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { Garbage } from "../../../mod/collect/garbage_collector.ts";
import { GarbageCollector } from "../../../mod/collect/garbage_collector.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { linesTo } from "../../support/log_lines.ts";

class Rig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly log: string[] = [];
  readonly collector: GarbageCollector;
  /** The keys whose removal was tried, with the time. */
  readonly tries: [key: string, atMs: number][] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(level: "debug" | "info" = "info") {
    const { clock, metrics } = this;
    const log = linesTo(this.log, { clock, level });
    this.collector = new GarbageCollector({ clock, log, metrics });
    this.#running = this.collector.run(this.#stop.signal);
  }

  /** Hands over a piece of which a removal ends as `remove` says. */
  async add(
    key: string,
    remove: (signal: AbortSignal) => Promise<void> = async () => {},
  ): Promise<void> {
    const piece: Garbage = {
      key,
      what: `piece ${key}`,
      remove: async (signal) => {
        this.tries.push([key, this.clock.monotonic()]);
        await remove(signal);
      },
    };
    this.collector.add(piece);
    await this.clock.advance(0);
  }

  metric(name: string): number {
    const line = this.metrics.render().split("\n")
      .find((line) => line.startsWith(`${name} `));
    return Number(line?.split(" ").at(-1));
  }

  logged(message: string): readonly string[] {
    return this.log.filter((line) => line.includes(`"${message}"`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new DOMException("Over", "AbortError"));
    await this.#running;
  }
}

const refuse = (): Promise<void> => Promise.reject(new Error("busy"));

/** Never ends by itself. */
function hang(signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}

Deno.test("GarbageCollector.add() has a piece removed at once, and forgets it", async () => {
  await using rig = new Rig();
  await rig.add("a");
  deepStrictEqual(rig.tries, [["a", 0]]);
  strictEqual(rig.collector.has("a"), false);
  strictEqual(rig.metric("skerry_garbage_removed_total"), 1);
  deepStrictEqual(rig.log, []);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("GarbageCollector tries a piece again after 1, 2, 4 … 60 s, and tells it once", async () => {
  await using rig = new Rig();
  let fails = true;
  await rig.add("a", () => fails ? refuse() : Promise.resolve());
  await rig.clock.advance(190_000);
  const times = rig.tries.map(([, atMs]) => atMs / 1_000);
  deepStrictEqual(times, [0, 1, 3, 7, 15, 31, 63, 123, 183]);
  strictEqual(rig.log.length, 1);
  match(rig.log[0] ?? "", /garbage_not_removed.*piece a.*busy/);
  strictEqual(rig.metric("skerry_garbage_pieces"), 1);
  strictEqual(rig.metric("skerry_garbage_failing"), 1);
  strictEqual(rig.collector.has("a"), true);
  fails = false;
  await rig.clock.advance(60_000);
  strictEqual(rig.logged("garbage_removed").length, 1);
  strictEqual(rig.metric("skerry_garbage_failing"), 0);
  strictEqual(rig.collector.has("a"), false);
});

Deno.test("GarbageCollector lets no piece wait for another", async () => {
  await using rig = new Rig();
  await rig.add("hangs", hang);
  await rig.add("fails", refuse);
  await rig.add("goes");
  const left = ["hangs", "fails", "goes"]
    .filter((key) => rig.collector.has(key));
  deepStrictEqual(left, ["hangs", "fails"]);
});

Deno.test("GarbageCollector.add() exchanges a piece of the same key and tries the new one at once", async () => {
  await using rig = new Rig();
  let wasAborted = false;
  await rig.add("a", async (signal) => {
    await hang(signal).catch(() => {});
    wasAborted = signal.aborted;
  });
  await rig.add("a", refuse);
  ok(wasAborted);
  // That the first one ended well says nothing of the second.
  strictEqual(rig.metric("skerry_garbage_failing"), 1);
});

Deno.test("GarbageCollector counts a failing piece no more once it is exchanged, or given back", async () => {
  await using rig = new Rig();
  await rig.add("a", refuse);
  await rig.add("b", refuse);
  strictEqual(rig.metric("skerry_garbage_failing"), 2);
  await rig.add("a", hang);
  strictEqual(rig.metric("skerry_garbage_failing"), 1);
  rig.collector.drop("b");
  strictEqual(rig.metric("skerry_garbage_failing"), 0);
  strictEqual(rig.metric("skerry_garbage_pieces"), 1);
});

Deno.test("GarbageCollector.drop() gives a piece back and ends the try under way", async () => {
  await using rig = new Rig();
  await rig.add("a", hang);
  rig.collector.drop("a");
  await rig.clock.advance(120_000);
  strictEqual(rig.collector.has("a"), false);
  deepStrictEqual(rig.log, []);
  strictEqual(rig.tries.length, 1);
  strictEqual(rig.metric("skerry_garbage_removed_total"), 0);
});

Deno.test("GarbageCollector.retryAll() tries at once what failed", async () => {
  await using rig = new Rig();
  await rig.add("a", refuse);
  await rig.clock.advance(40_000);
  const before = rig.tries.length;
  rig.collector.retryAll();
  await rig.clock.advance(0);
  strictEqual(rig.tries.length, before + 1);
  // From there it counts anew.
  await rig.clock.advance(1_000);
  strictEqual(rig.tries.length, before + 2);
});

Deno.test("GarbageCollector.run() ends when it is told to, whatever is under way", async () => {
  const rig = new Rig();
  await rig.add("a", hang);
  await rig[Symbol.asyncDispose]();
  deepStrictEqual(rig.log, []);
  strictEqual(rig.collector.has("a"), true);
});

Deno.test("GarbageCollector tries sixteen pieces beside each other, and more beside those that hang", async () => {
  await using rig = new Rig();
  for (let at = 0; at < 40; at++) await rig.add(`${at}`, hang);
  strictEqual(rig.tries.length, 16);
  await rig.clock.advance(1_999);
  strictEqual(rig.tries.length, 16);
  await rig.clock.advance(1);
  strictEqual(rig.tries.length, 32);
  rig.collector.drop("0");
  rig.collector.drop("16");
  await rig.clock.advance(0);
  // One of the first sixteen has no place any more that it could give up.
  strictEqual(rig.tries.length, 33);
});

Deno.test("GarbageCollector counts pieces from its start on", async () => {
  await using rig = new Rig();
  strictEqual(rig.metric("skerry_garbage_pieces"), 0);
  strictEqual(rig.metric("skerry_garbage_failing"), 0);
  await rig.add("a", hang);
  strictEqual(rig.metric("skerry_garbage_pieces"), 1);
  await rig.add("b", refuse);
  strictEqual(rig.metric("skerry_garbage_pieces"), 2);
  strictEqual(rig.metric("skerry_garbage_failing"), 1);
});

Deno.test("GarbageCollector says in the debug log of each further try why it failed", async () => {
  await using rig = new Rig("debug");
  let tries = 0;
  await rig.add("a", () => Promise.reject(new Error(`busy ${++tries}`)));
  await rig.clock.advance(3_000);
  deepStrictEqual(
    rig.log.map((line) => {
      const { level, message, what, retryMs, error } = JSON.parse(line);
      return [level, message, what, retryMs, error];
    }),
    [
      ["warn", "garbage_not_removed", "piece a", 1_000, "busy 1"],
      ["debug", "garbage_not_removed_again", "piece a", 2_000, "busy 2"],
      ["debug", "garbage_not_removed_again", "piece a", 4_000, "busy 3"],
    ],
  );
});

Deno.test("GarbageCollector.drop() of a failing piece leaves no timer, and knows it no more", async () => {
  await using rig = new Rig();
  await rig.add("a", refuse);
  strictEqual(rig.clock.pendingTimers, 1);
  rig.collector.drop("a");
  strictEqual(rig.clock.pendingTimers, 0);
  rig.collector.drop("a");
  rig.collector.drop("never there");
  await rig.clock.advance(60_000);
  strictEqual(rig.tries.length, 1);
});

Deno.test("GarbageCollector does not count what was removed after it was given back", async () => {
  await using rig = new Rig();
  const gate = Promise.withResolvers<void>();
  await rig.add("a", () => gate.promise);
  rig.collector.drop("a");
  gate.resolve();
  await rig.clock.advance(0);
  strictEqual(rig.metric("skerry_garbage_removed_total"), 0);
});

Deno.test("GarbageCollector says nothing of a try that fails after its piece was exchanged", async () => {
  await using rig = new Rig();
  const gate = Promise.withResolvers<void>();
  await rig.add("a", () => gate.promise);
  await rig.add("a");
  gate.reject(new Error("busy"));
  await rig.clock.advance(0);
  deepStrictEqual(rig.log, []);
  strictEqual(rig.collector.has("a"), false);
  strictEqual(rig.metric("skerry_garbage_removed_total"), 1);
  strictEqual(rig.metric("skerry_garbage_failing"), 0);
});

Deno.test("GarbageCollector.retryAll() tries a piece once more that is under way", async () => {
  await using rig = new Rig();
  const gate = Promise.withResolvers<void>();
  await rig.add("a", () => gate.promise);
  rig.collector.retryAll();
  gate.reject(new Error("busy"));
  await rig.clock.advance(0);
  strictEqual(rig.tries.length, 2);
});

Deno.test("GarbageCollector.add() of a piece that fails anew is said again", async () => {
  await using rig = new Rig();
  await rig.add("a", refuse);
  await rig.add("a", refuse);
  strictEqual(rig.logged("garbage_not_removed").length, 2);
  strictEqual(rig.metric("skerry_garbage_failing"), 1);
  // The pause of the first one is over as well: the second has its own.
  await rig.clock.advance(1_000);
  strictEqual(rig.tries.length, 3);
});

Deno.test("GarbageCollector.failures() says what could not be removed at the last try, and why", async () => {
  await using rig = new Rig();
  let words: string | undefined = "busy";
  const remove = () =>
    words === undefined ? Promise.resolve() : Promise.reject(new Error(words));
  await rig.add("one", remove);
  await rig.add("two");
  deepStrictEqual(rig.collector.failures(), [
    { key: "one", what: "piece one", why: "busy" },
  ]);
  words = "away";
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.collector.failures().map(({ why }) => why), ["away"]);
  words = undefined;
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.collector.failures(), []);
});
