/**
 * A limit on how many runs there are at a time.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { WorkQueue } from "../../../mod/base/work_queue.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const PATIENCE_MS = 100;

/** A queue whose runs end when they are told to. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly begun: string[] = [];
  readonly queue: WorkQueue<string>;
  readonly #ends = new Map<string, () => void>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(places: number) {
    const limit = { places, patienceMs: PATIENCE_MS };
    this.queue = new WorkQueue({ clock: this.clock }, limit);
    this.#running = this.queue.run(async (key) => {
      this.begun.push(key);
      await new Promise<void>((resolve) => this.#ends.set(key, resolve));
    }, this.#stop.signal);
  }

  /** The keys that run. */
  get running(): readonly string[] {
    return [...this.#ends.keys()];
  }

  async add(...keys: readonly string[]): Promise<void> {
    for (const key of keys) this.queue.add(key);
    await this.clock.advance(0);
  }

  async end(key: string): Promise<void> {
    this.#ends.get(key)?.();
    this.#ends.delete(key);
    await this.clock.advance(0);
  }

  async yields(key: string): Promise<void> {
    this.queue.yieldPlace(key);
    await this.clock.advance(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const key of this.running) await this.end(key);
    await this.#running;
    await this.queue[Symbol.asyncDispose]();
    await this.clock.advance(0);
    strictEqual(this.clock.pendingTimers, 0);
  }
}

Deno.test("WorkQueue with a limit begins the next when one has ended, first come, first served", async () => {
  await using rig = new Rig(2);
  await rig.add("a", "b", "c", "d");
  deepStrictEqual(rig.begun, ["a", "b"]);
  await rig.add("d", "c");
  await rig.end("b");
  deepStrictEqual(rig.begun, ["a", "b", "c"]);
  await rig.end("a");
  deepStrictEqual(rig.begun, ["a", "b", "c", "d"]);
});

Deno.test("WorkQueue.yieldPlace() lets the next begin, once, and the run goes on", async () => {
  await using rig = new Rig(1);
  await rig.add("a", "b", "c");
  await rig.yields("a");
  deepStrictEqual(rig.running, ["a", "b"]);
  await rig.yields("a");
  await rig.yields("unknown");
  await rig.end("a");
  deepStrictEqual(rig.running, ["b"]);
  await rig.end("b");
  deepStrictEqual(rig.running, ["c"]);
});

Deno.test("WorkQueue with a limit lets another begin beside a run that takes long", async () => {
  await using rig = new Rig(1);
  await rig.add("a", "b", "c");
  await rig.clock.advance(PATIENCE_MS - 1);
  deepStrictEqual(rig.running, ["a"]);
  await rig.clock.advance(1);
  deepStrictEqual(rig.running, ["a", "b"]);
  await rig.clock.advance(PATIENCE_MS);
  deepStrictEqual(rig.running, ["a", "b", "c"]);
});

Deno.test("WorkQueue with a limit forgets a key that waits for its place", async () => {
  await using rig = new Rig(1);
  await rig.add("a", "b", "c");
  rig.queue.forget("b");
  await rig.end("a");
  deepStrictEqual(rig.begun, ["a", "c"]);
});

Deno.test("WorkQueue with a limit never has more runs with a place, and runs every key", async () => {
  const keys = ["a", "b", "c", "d", "e", "f"];
  const step = fc.tuple(
    fc.constantFrom("add", "end", "yield"),
    fc.constantFrom(...keys),
  );
  await fc.assert(fc.asyncProperty(fc.array(step), async (steps) => {
    await using rig = new Rig(2);
    const added = new Set<string>();
    const yielded = new Set<string>();
    for (const [kind, key] of steps) {
      if (kind === "add") {
        added.add(key);
        await rig.add(key);
      } else if (kind === "end") {
        yielded.delete(key);
        await rig.end(key);
      } else {
        if (rig.running.includes(key)) yielded.add(key);
        await rig.yields(key);
      }
      const placed = rig.running.filter((each) => !yielded.has(each));
      strictEqual(placed.length <= 2, true);
    }
    for (const _ of keys) for (const key of rig.running) await rig.end(key);
    deepStrictEqual(new Set(rig.begun), added);
  }));
});
