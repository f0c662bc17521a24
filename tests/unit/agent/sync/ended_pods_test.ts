/**
 * What is freed of pods that ended by themselves, when the disk is short.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { EndedPods } from "../../../../mod/agent/sync/ended_pods.ts";
import type { WorkerView } from "../../../../mod/agent/workers/mod.ts";
import type { PodState } from "../../../../mod/pod/lifecycle/mod.ts";
import type { PodListing } from "../../../../mod/runtime/observe/mod.ts";
import { workerView } from "../../../support/agent/worker_view.ts";
import { podOf } from "../../../support/pods.ts";
import { containerRow } from "../../../support/runtime_rows.ts";

const DISK = { signal: "nodefs.available" };
const ENDING: PodState = {
  kind: "terminating",
  cause: "completed",
  graceSeconds: 30,
};

function finished(uid: string): WorkerView {
  const pod = podOf(uid);
  return {
    uid,
    fullName: uid,
    state: {
      kind: "finished",
      cause: "completed",
      pod,
      wanted: pod,
      stop: { kind: "begun" },
    },
  };
}

/** A pod of which the runtime has these dead containers. */
function listing(uid: string, ids: readonly string[]): PodListing {
  return {
    uid,
    name: uid,
    namespace: "default",
    alive: false,
    sandboxes: [],
    containers: ids.map((id) => containerRow(uid, { id, state: "exited" })),
  };
}

Deno.test("EndedPods begins the removal of each pod once, and anew when its UID has ended once more", async () => {
  const removed: string[] = [];
  let containers = ["1"];
  const ended = new EndedPods({
    runtimePods: () => [listing("a", containers)],
    remains: { remove: (uid) => removed.push(uid) },
    workers: { list: () => [finished("a")] },
  });
  strictEqual(await ended.reclaim({ signal: "memory.available" }), "done");
  strictEqual(await ended.reclaim(DISK), "under_way");
  strictEqual(await ended.reclaim(DISK), "done");
  deepStrictEqual(removed, ["a"]);
  // Between two shortages it was removed, added and has ended again.
  containers = ["1", "2"];
  strictEqual(await ended.reclaim(DISK), "under_way");
  deepStrictEqual(removed, ["a", "a"]);
  containers = [];
  strictEqual(await ended.reclaim(DISK), "done");
});

Deno.test("EndedPods removes nothing of a pod that runs, is removed, was evicted or is not listed", async () => {
  const eviction = { reason: "Evicted", message: "too much" };
  const done = { kind: "finished", cause: "completed" } as const;
  const views = [
    workerView(podOf("runs")),
    workerView(podOf("ends"), { state: ENDING }),
    workerView(podOf("removed"), { state: { ...done, cause: "removed" } }),
    workerView(podOf("evicted"), {
      state: { ...done, cause: "evicted" },
      stop: { kind: "begun", eviction },
    }),
    workerView(podOf("unlisted"), { state: done }),
    workerView(podOf("empty"), { state: done }),
    workerView(podOf("done"), { state: done }),
  ];
  const removed: string[] = [];
  const listed = ["runs", "ends", "removed", "evicted", "done"];
  const world: { pods: PodListing[] | undefined } = { pods: undefined };
  const ended = new EndedPods({
    runtimePods: () => world.pods,
    remains: { remove: (uid, keep) => removed.push(`${uid} ${keep}`) },
    workers: { list: () => views },
  });
  strictEqual(await ended.reclaim(DISK), "done");
  world.pods = [
    ...listed.map((uid) => listing(uid, ["1"])),
    listing("empty", []),
  ];
  strictEqual(
    await ended.reclaim({ signal: "imagefs.available" }),
    "under_way",
  );
  deepStrictEqual(removed, ["done status"]);
});
