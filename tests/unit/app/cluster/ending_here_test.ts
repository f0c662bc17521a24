/**
 * Which pods end on a node.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { endingHere } from "../../../../mod/app/cluster/mod.ts";
import type { WorkerView } from "../../../../mod/agent/workers/mod.ts";
import type { PodListing } from "../../../../mod/runtime/observe/mod.ts";
import { podOf } from "../../../support/pods.ts";

const pod = podOf("a");
const STOP = { kind: "requested" } as const;
const END = { graceSeconds: 1, cause: "removed", stop: STOP } as const;

const states: Readonly<Record<string, WorkerView["state"]>> = {
  runs: { kind: "syncing", pod, wanted: pod },
  ends: { kind: "terminating", ...END, pod, wanted: undefined },
  // It is wanted again, or was evicted.
  returns: { kind: "terminating", ...END, pod, wanted: pod },
  orphan: { kind: "terminating", ...END, pod: undefined, wanted: undefined },
  ended: {
    kind: "terminated",
    cause: "removed",
    atMs: 0,
    stop: STOP,
    pod,
    wanted: undefined,
  },
  evicted: {
    kind: "terminated",
    cause: "evicted",
    atMs: 0,
    stop: STOP,
    pod,
    wanted: pod,
  },
  finished: {
    kind: "finished",
    cause: "removed",
    stop: STOP,
    pod,
    wanted: undefined,
  },
};

const workers: readonly WorkerView[] = Object.entries(states).map(
  ([uid, state]) => ({ uid, fullName: `${uid}_shop`, state }),
);

const listed = (uid: string, alive: boolean): PodListing => ({
  uid,
  name: uid,
  namespace: "shop",
  alive,
  sandboxes: [],
  containers: [],
});

Deno.test("endingHere() names what ends, and what runs without a worker", () => {
  const pods = [
    listed("runs", true),
    listed("finished", true),
    listed("left", true),
    listed("dead", false),
    listed("foreign", true),
  ];
  const listing = { pods: new Map(pods.map((each) => [each.uid, each])) };
  const owned = { has: (uid: string) => uid !== "foreign" };
  deepStrictEqual(endingHere({ workers, picture: { listing }, owned }), [
    { uid: "ends", fullName: "ends_shop", mayRun: true },
    { uid: "returns", fullName: "returns_shop", mayRun: true },
    { uid: "orphan", fullName: "orphan_shop", mayRun: true },
    { uid: "ended", fullName: "ended_shop", mayRun: false },
    { uid: "left", fullName: "left_shop", mayRun: true },
  ]);
});

Deno.test("endingHere() knows nothing before the runtime's first list", () => {
  const owned = { has: () => true };
  const picture = { listing: undefined };
  deepStrictEqual(endingHere({ workers, picture, owned }), undefined);
});
