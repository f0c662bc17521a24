/**
 * Places among the pods that start.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { Activities } from "../../../../mod/runtime/account/mod.ts";
import {
  type StartPlace,
  StartPlaces,
} from "../../../../mod/runtime/start/start_places.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { pod } from "../../../support/pods.ts";

const CRITICAL = 2_000_000_000;

class Rig {
  readonly clock = new FakeClock();
  readonly activities = new Activities({ clock: this.clock });
  /** The UIDs of those that began, and when. */
  readonly begun: (readonly [string, number])[] = [];
  readonly places: StartPlaces;

  constructor(slots: number) {
    this.places = new StartPlaces(this, { slots });
  }

  async take(
    uid: string,
    spec: Partial<Pod["spec"]> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<StartPlace> {
    const place = await this.places.take(pod({ uid, ...spec }), signal);
    this.begun.push([uid, this.clock.monotonic()]);
    return place;
  }

  waiting(uid: string): unknown {
    return this.activities.list(uid)[0];
  }
}

Deno.test("StartPlaces.take() gives a slot on after 2 s, and says meanwhile what a pod waits for", async () => {
  const rig = new Rig(1);
  await rig.take("hangs");
  const next = rig.take("next");
  await rig.clock.advance(1_500);
  deepStrictEqual(rig.waiting("next"), {
    kind: "waiting_for_start_place",
    places: 1,
    forMs: 1_500,
  });
  await rig.clock.advance(500);
  await next;
  strictEqual(rig.waiting("next"), undefined);
  deepStrictEqual(rig.begun, [["hangs", 0], ["next", 2_000]]);
  strictEqual(rig.clock.pendingTimers, 0);
});

for (
  const [what, spec, goesFirst] of [
    ["on the node's network", { hostNetwork: true }, true],
    ["of a critical priority", { priority: CRITICAL }, true],
    ["of a high priority", { priority: CRITICAL - 1 }, false],
    ["with a class and no priority", {
      priorityClassName: "system-node-critical",
    }, false],
  ] as const
) {
  Deno.test(`StartPlaces.take() lets a pod ${what} ${goesFirst ? "go first" : "wait for its turn"}`, async () => {
    const rig = new Rig(1);
    await rig.take("hangs");
    const usual = rig.take("usual");
    const other = rig.take("other", spec);
    await rig.clock.advance(1_999);
    deepStrictEqual(
      rig.begun.map(([uid]) => uid),
      goesFirst ? ["hangs", "other"] : ["hangs"],
    );
    await rig.clock.advance(4_000);
    await Promise.all([usual, other]);
    strictEqual(rig.begun.length, 3);
  });
}

Deno.test("StartPlaces.take() leaves the line when the pod is given up while it waits", async () => {
  const rig = new Rig(1);
  const first = await rig.take("first");
  const stop = new AbortController();
  const removed = rejects(rig.take("removed", {}, stop.signal), /removed/);
  const next = rig.take("next");
  stop.abort(new Error("removed"));
  await removed;
  strictEqual(rig.waiting("removed"), undefined);
  first[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  deepStrictEqual(rig.begun.map(([uid]) => uid), ["first", "next"]);
  strictEqual(rig.clock.pendingTimers, 0);
  await rejects(rig.take("late", {}, stop.signal), /removed/);
});

Deno.test("StartPlaces has as many under way as may be, until calls that were given up are answered", async () => {
  const rig = new Rig(1);
  const calls: PromiseWithResolvers<unknown>[] = [];
  for (let nth = 0; nth < 129; nth++) {
    using place = await rig.take(`u-${nth}`);
    const call = Promise.withResolvers<unknown>();
    place.making(call.promise);
    calls.push(call);
  }
  const next = rig.take("next");
  await rig.clock.advance(600_000);
  strictEqual(rig.begun.length, 129);
  // However it is answered.
  calls[7]?.reject(new Error("no network"));
  await next;
  deepStrictEqual(rig.begun.at(-1), ["next", 600_000]);
  for (const { resolve } of calls) resolve(undefined);
});

Deno.test("StartPlaces gives a place back once, though it is given up after its sandbox was made and once more", async () => {
  const rig = new Rig(1);
  const place = await rig.take("a");
  place.making(Promise.resolve("sandbox"));
  await rig.clock.advance(1);
  const waiting = [rig.take("b"), rig.take("c")];
  place[Symbol.dispose]();
  place[Symbol.dispose]();
  await rig.clock.advance(1);
  deepStrictEqual(rig.begun.map(([uid]) => uid), ["a", "b"]);
  await rig.clock.advance(2_000);
  await Promise.all(waiting);
});
