/** Controllers wait until it is known how the pods are that an earlier agent has left. */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { knownPods } from "../../../../mod/app/workloads/known_pods.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { pod } from "../../../support/pods.ts";

class Rig {
  readonly clock = new FakeClock();
  pods = [pod({ uid: "a" }), pod({ uid: "b" })];
  readonly known = new Set<string>();
  isListed = true;
  isWritten = true;
  isOver = false;
  /** When it was asked how the pods are. */
  readonly looks: number[] = [];
  readonly ended = new AbortController();

  start(): Promise<void> {
    const { clock } = this;
    const status = {};
    return knownPods({
      clock,
      pods: () => {
        this.looks.push(clock.monotonic());
        return this.pods;
      },
      statuses: {
        stored: (uid) =>
          this.known.has(uid)
            ? { pod: pod({ uid }), version: 1, status, finished: false }
            : undefined,
      },
      isListed: () => this.isListed,
      isWritten: () => this.isWritten,
    }, this.ended.signal).then(() => {
      this.isOver = true;
    });
  }
}

Deno.test("knownPods() waits for the status of each pod, and until all are written", async () => {
  const rig = new Rig();
  const waiting = rig.start();
  rig.known.add("a");
  await rig.clock.advance(1_000);
  strictEqual(rig.isOver, false);
  rig.known.add("b");
  rig.isWritten = false;
  await rig.clock.advance(1_000);
  strictEqual(rig.isOver, false);
  rig.isWritten = true;
  await rig.clock.advance(1_000);
  strictEqual(rig.isOver, true);
  await waiting;
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("knownPods() waits for no pod that ends, and not at all without one", async () => {
  const rig = new Rig();
  const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  rig.pods = [pod({ metadata })];
  await rig.start();
  rig.pods = [];
  await rig.start();
});

Deno.test("knownPods() waits for the runtime as long as it takes, and then 30 seconds at most", async () => {
  const rig = new Rig();
  rig.isListed = false;
  const waiting = rig.start();
  await rig.clock.advance(100);
  const { moves } = rig.clock;
  await rig.clock.advance(3_600_000);
  strictEqual(rig.isOver, false);
  // It costs a look each second.
  strictEqual(rig.clock.moves - moves < 2.1 * 3_600, true);
  rig.isListed = true;
  await rig.clock.advance(1_000);
  await rig.clock.advance(28_000);
  strictEqual(rig.isOver, false);
  await rig.clock.advance(2_000);
  strictEqual(rig.isOver, true);
  await waiting;
});

Deno.test("knownPods() asks soon, and then once a second", async () => {
  const rig = new Rig();
  const waiting = rig.start();
  await rig.clock.advance(4_000);
  const wanted = [0, 50, 150, 350, 750, 1_550, 2_550, 3_550];
  deepStrictEqual(rig.looks, wanted);
  rig.pods = [];
  await rig.clock.advance(1_000);
  await waiting;
});

Deno.test("knownPods() ends with the agent", async () => {
  const rig = new Rig();
  const waiting = rig.start();
  rig.ended.abort();
  await rejects(waiting, { name: "AbortError" });
});
