/**
 * Hints about containers of which nobody knows the pod.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Moved } from "../../../mod/cri/events/mod.ts";
import { UnknownHints } from "../../../mod/picture/unknown_hints.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { seenContainer, seenPod, seenSandbox } from "../runtime/builders.ts";

class Rig implements Disposable {
  readonly clock: FakeClock = new FakeClock();
  readonly owners: Map<string, string> = new Map();
  readonly known: string[] = [];
  asked = 0;
  readonly hints: UnknownHints = new UnknownHints({
    clock: this.clock,
    ownerOf: (id) => this.owners.get(id),
    known: (uid, { what, containerId }) =>
      this.known.push(`${uid} ${what} ${containerId}`),
    unknown: () => this.asked++,
  });

  add(containerId: string, what: Moved["what"] = "started"): void {
    this.hints.add({
      kind: "moved",
      containerId,
      podUid: undefined,
      what,
      at: 0n,
    });
  }

  /** Somebody has looked at the pod `u`, which has these containers. */
  see(...ids: readonly string[]): void {
    const containers = ids.map((id) =>
      seenContainer(id, { id, sandboxId: "s-u" })
    );
    this.hints.seen(seenPod({ uid: "u", sandboxes: [], containers }));
  }

  [Symbol.dispose](): void {
    this.hints[Symbol.dispose]();
    strictEqual(this.clock.pendingTimers, 0);
  }
}

Deno.test("UnknownHints asks for one list after a second, for all that nobody knows", async () => {
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

Deno.test("UnknownHints drops the only one that it keeps after ten seconds, too", async () => {
  using rig = new Rig();
  rig.add("a");
  await rig.clock.advance(10_000);
  rig.see("a");
  deepStrictEqual([rig.known, rig.clock.pendingTimers], [[], 0]);
});

Deno.test("UnknownHints asks once more for what is told after it has asked", async () => {
  using rig = new Rig();
  rig.add("a");
  await rig.clock.advance(1_500);
  rig.add("b");
  rig.add("a");
  await rig.clock.advance(1_500);
  strictEqual(rig.asked, 2);
});

Deno.test("UnknownHints asks for nothing when the pod became known meanwhile", async () => {
  using rig = new Rig();
  rig.add("a");
  rig.owners.set("a", "u");
  await rig.clock.advance(1_000);
  deepStrictEqual([rig.asked, rig.known], [0, ["u started a"]]);
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.known, ["u started a"]);
});

Deno.test("UnknownHints.seen() hands a hint out until ten seconds after it was told", async () => {
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

Deno.test("UnknownHints does not keep a hint longer because it is told again", async () => {
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

Deno.test("UnknownHints keeps of one container that it ended, in whatever order it is told", () => {
  for (
    const order of [["started", "stopped"], ["stopped", "started"]] as const
  ) {
    using rig = new Rig();
    for (const what of order) rig.add("a", what);
    rig.see("a");
    deepStrictEqual(rig.known, ["u stopped a"]);
  }
});

Deno.test("UnknownHints finds a sandbox, too", () => {
  using rig = new Rig();
  rig.add("s");
  const sandboxes = [seenSandbox({ id: "s" })];
  rig.hints.seen(seenPod({ uid: "u", sandboxes, containers: [] }));
  deepStrictEqual(rig.known, ["u started s"]);
});

for (const what of ["deleted", "oom"] as const) {
  Deno.test(`UnknownHints looks for nothing when something unknown is told as ${what}`, () => {
    using rig = new Rig();
    rig.add("a", what);
    strictEqual(rig.clock.pendingTimers, 0);
    rig.see("a");
    deepStrictEqual(rig.known, []);
  });
}

Deno.test("UnknownHints keeps 500 of them, the newest", () => {
  using rig = new Rig();
  for (let at = 0; at <= 500; at++) rig.add(`c${at}`);
  rig.see("c0", "c1", "c500");
  deepStrictEqual(rig.known, ["u started c1", "u started c500"]);
});

Deno.test("UnknownHints hands out nothing after its end", async () => {
  const rig = new Rig();
  rig.add("a");
  rig[Symbol.dispose]();
  rig.see("a");
  await rig.clock.advance(20_000);
  deepStrictEqual([rig.known, rig.asked], [[], 0]);
});
