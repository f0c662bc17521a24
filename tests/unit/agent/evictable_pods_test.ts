/**
 * Which pods the node may end.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { evictablePods } from "../../../mod/agent/evictable_pods.ts";
import type { WorkerView } from "../../../mod/agent/workers/mod.ts";
import type { PodStatus } from "../../../mod/api/types/mod.ts";
import type { PodState } from "../../../mod/pod/lifecycle/mod.ts";
import { workerView } from "../../support/agent/worker_view.ts";
import { podOf } from "../../support/pods.ts";

Deno.test("evictablePods() has what runs, and nothing while the machine goes down", () => {
  const pod = podOf("u1");
  const parked = { isGoingDown: false };
  const pods = evictablePods(() => ({
    get: () => undefined,
    list: () => [{
      uid: "u1",
      fullName: "u1_shop",
      state: { kind: "syncing", pod, wanted: pod },
    }],
    evict: () => true,
  }), { statuses: { get: () => undefined }, parked });
  deepStrictEqual(pods.running(), [pod]);
  parked.isGoingDown = true;
  deepStrictEqual(pods.running(), []);
});

/** Those of workers with these views and phases. */
function podsOf(
  views: readonly WorkerView[],
  phases: Readonly<Record<string, PodStatus["phase"]>> = {},
) {
  return evictablePods(() => ({
    get: (uid) => views.find((view) => view.uid === uid),
    list: () => views,
    evict: () => true,
  }), {
    statuses: {
      get: (uid) => {
        const phase = phases[uid];
        return phase === undefined ? undefined : { phase };
      },
    },
    parked: { isGoingDown: false },
  });
}

const ENDING: PodState = {
  kind: "terminating",
  cause: "removed",
  graceSeconds: 30,
};

Deno.test("evictablePods() has no pod that is over or ends", () => {
  const pods = podsOf([
    workerView(podOf("a")),
    workerView(podOf("over")),
    workerView(podOf("runs")),
    workerView(podOf("ends"), { state: ENDING }),
  ], { over: "Failed", runs: "Running" });
  deepStrictEqual(
    pods.running().map(({ metadata }) => metadata.uid),
    ["a", "runs"],
  );
});

Deno.test("evictablePods() says when one has ended", () => {
  const pods = podsOf([
    workerView(podOf("runs")),
    workerView(podOf("ends"), { state: ENDING }),
    workerView(podOf("ended"), {
      state: { kind: "terminated", cause: "removed", atMs: 0 },
    }),
    workerView(podOf("done"), {
      state: { kind: "finished", cause: "removed" },
    }),
  ]);
  const all = ["runs", "ends", "ended", "done", "gone"];
  deepStrictEqual(
    all.filter((uid) => pods.hasEnded(uid)),
    ["ended", "done", "gone"],
  );
});
