/**
 * Pods that are stopped and stay wanted.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  type NameOwnership,
  ParkedPods,
} from "../../../../mod/agent/workers/mod.ts";
import { podOf } from "../../../support/pods.ts";

const { signal } = new AbortController();
const OPTIONS = { nameOwnership: (): NameOwnership => "has", signal };

/** Pods whose steps are written down; parking them fails as long as a test says. */
function rig() {
  const did: string[] = [];
  const world = { fails: false };
  const note = (what: string): Promise<void> => {
    did.push(what);
    return Promise.resolve();
  };
  const parked = new ParkedPods({
    sync: async ({ metadata: { uid } }) => {
      await note(`sync ${uid}`);
      return { kind: "settled" };
    },
    park: async ({ metadata: { uid } }, { graceSeconds }) => {
      await note(`park ${uid} ${graceSeconds}`);
      if (world.fails) throw new Error("it runs on");
    },
    pullAhead: async ({ metadata: { uid } }, { before }) => {
      await note(`pull ${uid} before ${before}`);
      return true;
    },
    terminate: ({ uid }) => note(`terminate ${uid}`),
    release: ({ uid }, keep) => note(`release ${uid} ${keep}`),
  });
  /** Whether stopping a pod is over. */
  const watch = (stopped: Promise<void>) => {
    const seen = { isOver: false };
    stopped.then(() => seen.isOver = true);
    return seen;
  };
  return { did, world, parked, watch };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

Deno.test("ParkedPods passes everything on while the machine runs", async () => {
  const { did, parked } = rig();
  strictEqual(parked.isGoingDown, false);
  const ending = { uid: "a", pod: podOf("a"), graceSeconds: 1 };
  strictEqual((await parked.sync(podOf("a"), OPTIONS)).kind, "settled");
  const pull = { before: "b", signal };
  strictEqual(await parked.pullAhead(podOf("a"), pull), true);
  await parked.terminate(ending, signal);
  await parked.release(ending, "logs", signal);
  deepStrictEqual(did, [
    "sync a",
    "pull a before b",
    "terminate a",
    "release a logs",
  ]);
});

Deno.test("ParkedPods starts nothing new when the machine goes down, and pulls nothing", async () => {
  const { did, parked } = rig();
  parked.begin(["a"]);
  strictEqual(parked.isGoingDown, true);
  strictEqual((await parked.sync(podOf("new"), OPTIONS)).kind, "held");
  // One of a later group runs until it is its turn.
  strictEqual((await parked.sync(podOf("a"), OPTIONS)).kind, "settled");
  const pull = { before: "a", signal };
  strictEqual(await parked.pullAhead(podOf("new"), pull), false);
  deepStrictEqual(did, ["sync a"]);
});

Deno.test("ParkedPods stops a pod at its next step, until nothing of it runs", async () => {
  const { did, parked, world, watch } = rig();
  parked.begin(["a"]);
  const stopped = watch(parked.park("a", { graceSeconds: 7 }));
  world.fails = true;
  await rejects(parked.sync(podOf("a"), OPTIONS), /it runs on/);
  await settle();
  strictEqual(stopped.isOver, false);
  world.fails = false;
  strictEqual((await parked.sync(podOf("a"), OPTIONS)).kind, "held");
  await settle();
  strictEqual(stopped.isOver, true);
  strictEqual((await parked.sync(podOf("a"), OPTIONS)).kind, "held");
  deepStrictEqual(did, ["park a 7", "park a 7", "park a 7"]);
});

Deno.test("ParkedPods has a pod stopped when it ends in another way", async () => {
  const { did, parked, watch } = rig();
  parked.begin(["a", "b"]);
  const stopped = watch(parked.park("a", { graceSeconds: 7 }));
  const ending = { pod: undefined, graceSeconds: 1 };
  await parked.terminate({ ...ending, uid: "b" }, signal);
  await settle();
  strictEqual(stopped.isOver, false);
  await parked.terminate({ ...ending, uid: "a" }, signal);
  await settle();
  strictEqual(stopped.isOver, true);
  deepStrictEqual(did, ["terminate b", "terminate a"]);
});
