/**
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  WATCH_LIMITS,
  WatchHistory,
} from "../../../mod/local/watch_history.ts";
import {
  LocalRig,
  plainWish,
  refOf,
  SET_KIND,
} from "../../support/local/local_rig.ts";

const LIMITS = { kept: 100, behind: 1000 };

function publish(history: WatchHistory, from: number, to: number): void {
  for (let revision = from; revision <= to; revision++) {
    const metadata = { name: "a", namespace: "b", uid: "c" };
    const object = { apiVersion: "v1", kind: "Pod", metadata };
    history.publish({ type: "MODIFIED", object, revision });
  }
}

Deno.test("WatchHistory keeps the newest events, however many there were", () => {
  const history = new WatchHistory(0, LIMITS);
  publish(history, 1, 100);
  strictEqual(history.size, 100);
  strictEqual(history.open(0) !== undefined, true);
  const fresh = new WatchHistory(0, LIMITS);
  let most = 0;
  for (let revision = 1; revision <= 10_000; revision++) {
    publish(fresh, revision, revision);
    most = Math.max(most, fresh.size);
  }
  strictEqual(most, 124);
  // Trimmed at the last one, and not at each.
  strictEqual(fresh.size, 100);
  publish(fresh, 10_001, 10_024);
  strictEqual(fresh.size, 124);
  strictEqual(fresh.open(9_870), undefined);
  strictEqual(fresh.open(9_900) !== undefined, true);
});

Deno.test("WatchHistory keeps what a reader has not read, within its limit", () => {
  const history = new WatchHistory(0, LIMITS);
  const cursor = history.open(0);
  if (cursor === undefined) throw new Error("no cursor");
  publish(history, 1, 900);
  strictEqual(history.size, 900);
  for (let revision = 1; revision <= 800; revision++) {
    const event = history.take(cursor);
    strictEqual(typeof event === "object" && event.revision, revision);
  }
  publish(history, 901, 1_000);
  strictEqual(history.size < 230, true, `${history.size}`);
  publish(history, 1_001, 5_000);
  strictEqual(history.size < 130, true, `${history.size}`);
  strictEqual(history.take(cursor), "lost");
});

Deno.test("WatchHistory keeps nothing for a reader that has left", () => {
  const history = new WatchHistory(0, LIMITS);
  const cursor = history.open(0);
  if (cursor === undefined) throw new Error("no cursor");
  publish(history, 1, 200);
  history.close(cursor);
  publish(history, 201, 250);
  strictEqual(history.size <= 125, true, `${history.size}`);
});

Deno.test("WatchHistory gives a reader what came after its version only", () => {
  const history = new WatchHistory(5, LIMITS);
  strictEqual(history.open(4), undefined);
  publish(history, 6, 10);
  const cursor = history.open(8);
  if (cursor === undefined) throw new Error("no cursor");
  const event = history.take(cursor);
  strictEqual(typeof event === "object" && event.revision, 9);
  const late = history.open(12);
  if (late === undefined) throw new Error("no cursor");
  publish(history, 11, 13);
  const next = history.take(late);
  strictEqual(typeof next === "object" && next.revision, 13);
  strictEqual(history.take(late), "none");
});

Deno.test("a small history is trimmed now and then", () => {
  const history = new WatchHistory(0, { kept: 2, behind: 10 });
  publish(history, 1, 17);
  strictEqual(history.size, 17);
  publish(history, 18, 18);
  strictEqual(history.size, 2);
});

Deno.test("what a store keeps for watches is small by default", () => {
  strictEqual(WATCH_LIMITS.kept, 256);
  strictEqual(WATCH_LIMITS.behind, 4096);
});

Deno.test("a hundred watches that wait cost nothing, and all hear of a change", async () => {
  const rig = new LocalRig();
  for (let count = 0; count < 1000; count++) {
    await rig.create(plainWish(SET_KIND, `set-${count}`));
  }
  let heard = 0;
  for (let count = 0; count < 100; count++) {
    const read = await rig.watch(SET_KIND, { resourceVersion: "1000" });
    void read(1).then(([event]) => {
      if (event === "MODIFIED set-1@1001") heard++;
    });
  }
  const { moves } = rig.clock;
  await rig.clock.advance(3_600_000);
  strictEqual(rig.clock.moves, moves);
  const patch = { spec: { replicas: 2 } };
  await rig.store.patch(refOf(SET_KIND, "set-1"), patch, rig.signal);
  await rig.clock.advance(0);
  strictEqual(heard, 100);
});
