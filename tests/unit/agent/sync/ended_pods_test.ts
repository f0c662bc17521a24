/**
 * What is freed of pods that ended by themselves, when the disk is short.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { EndedPods } from "../../../../mod/agent/sync/ended_pods.ts";
import type { WorkerView } from "../../../../mod/agent/workers/mod.ts";
import type { PodListing } from "../../../../mod/runtime/observe/mod.ts";
import { podOf } from "../../../support/pods.ts";
import { containerRow } from "../../../support/runtime_rows.ts";

const DISK = { signal: "nodefs.available" };

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
