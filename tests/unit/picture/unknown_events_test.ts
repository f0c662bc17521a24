/**
 * Runtime events about containers whose pod is not known yet.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ContainerEvent } from "../../../mod/cri/events/mod.ts";
import { UnknownEvents } from "../../../mod/picture/unknown_events.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** Events that are reviewed every second, as a picture does. */
class Rig implements Disposable {
  readonly clock: FakeClock = new FakeClock();
  readonly owners: Map<string, string> = new Map();
  readonly known: string[] = [];
  asked = 0;
  readonly events: UnknownEvents = new UnknownEvents();
  #timer: Disposable | undefined;

  add(containerId: string, what: ContainerEvent["what"] = "started"): void {
    const event = { containerId, podUid: undefined, what, at: 0n };
    this.events.add({ kind: "moved", ...event }, this.clock.monotonic());
    this.#await();
  }

  /** Somebody has looked at the pod `u`, which has these containers. */
  see(...ids: readonly string[]): void {
    for (const event of this.events.take(ids.map((id) => ({ id })))) {
      this.#know("u", event);
    }
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.events.clear();
    strictEqual(this.clock.pendingTimers, 0);
  }

  #await(): void {
    if (this.events.isEmpty) return;
    this.#timer ??= this.clock.after(1_000, () => {
      this.#timer = undefined;
      const owners = (id: string) => this.owners.get(id);
      const { known, mustList } = this.events.review(
        owners,
        this.clock.monotonic(),
      );
      for (const [uid, event] of known) this.#know(uid, event);
      if (mustList) this.asked++;
      this.#await();
    });
  }

  #know(uid: string, { what, containerId }: ContainerEvent): void {
    this.known.push(`${uid} ${what} ${containerId}`);
  }
}

Deno.test("UnknownEvents asks for one list after a second, for all that nobody knows", async () => {
  using rig = new Rig();
  rig.add("a");
  await rig.clock.advance(500);
  rig.add("b");
  await rig.clock.advance(499);
  strictEqual(rig.asked, 0);
  await rig.clock.advance(1);
  strictEqual(rig.asked, 1);
  await rig.clock.advance(20_000);
  strictEqual(rig.asked, 1);
  deepStrictEqual(rig.known, []);
});

Deno.test("UnknownEvents drops the only one that it keeps after ten seconds, too", async () => {
  using rig = new Rig();
  rig.add("a");
  await rig.clock.advance(10_000);
  rig.see("a");
  deepStrictEqual([rig.known, rig.clock.pendingTimers], [[], 0]);
});

Deno.test("UnknownEvents asks once more for what is told after it has asked", async () => {
  using rig = new Rig();
  rig.add("a");
  await rig.clock.advance(1_500);
  rig.add("b");
  rig.add("a");
  await rig.clock.advance(1_500);
  strictEqual(rig.asked, 2);
});

Deno.test("UnknownEvents asks for nothing when the pod became known meanwhile", async () => {
  using rig = new Rig();
  rig.add("a");
  rig.owners.set("a", "u");
  await rig.clock.advance(1_000);
  deepStrictEqual([rig.asked, rig.known], [0, ["u started a"]]);
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.known, ["u started a"]);
});

Deno.test("UnknownEvents.take() hands an event out until ten seconds after it was told", async () => {
  using rig = new Rig();
  rig.add("a");
  rig.add("b");
  await rig.clock.advance(9_999);
  rig.see("a", "x");
  deepStrictEqual(rig.known, ["u started a"]);
  rig.see("a");
  strictEqual(rig.known.length, 1, "only once");
  await rig.clock.advance(1);
  rig.see("b");
  strictEqual(rig.known.length, 1, "no longer");
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("UnknownEvents does not keep an event longer because it is told again", async () => {
  using rig = new Rig();
  rig.add("a");
  for (let second = 1; second < 10; second++) {
    await rig.clock.advance(1_000);
    rig.add("a", "stopped");
  }
  await rig.clock.advance(1_000);
  rig.see("a");
  deepStrictEqual([rig.known, rig.asked], [[], 1]);
});

Deno.test("UnknownEvents keeps of one container that it ended, in whatever order it is told", () => {
  for (
    const order of [["started", "stopped"], ["stopped", "started"]] as const
  ) {
    using rig = new Rig();
    for (const what of order) rig.add("a", what);
    rig.see("a");
    deepStrictEqual(rig.known, ["u stopped a"]);
  }
});

for (const what of ["deleted", "oom"] as const) {
  Deno.test(`UnknownEvents looks for nothing when something unknown is told as ${what}`, () => {
    using rig = new Rig();
    rig.add("a", what);
    strictEqual(rig.clock.pendingTimers, 0);
    rig.see("a");
    deepStrictEqual(rig.known, []);
  });
}

Deno.test("UnknownEvents keeps 500 of them, the newest", () => {
  using rig = new Rig();
  for (let at = 0; at <= 500; at++) rig.add(`c${at}`);
  rig.see("c0", "c1", "c500");
  deepStrictEqual(rig.known, ["u started c1", "u started c500"]);
});

Deno.test("UnknownEvents hands out nothing after its end", async () => {
  const rig = new Rig();
  rig.add("a");
  rig[Symbol.dispose]();
  rig.see("a");
  await rig.clock.advance(20_000);
  deepStrictEqual([rig.known, rig.asked], [[], 0]);
});
