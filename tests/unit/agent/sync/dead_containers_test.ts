/**
 * Dead containers, looked for apart from the syncs of their pods.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  type DeadContainerOptions,
  DeadContainers,
  failureText,
  keptAt,
} from "../../../../mod/agent/sync/dead_containers.ts";
import { nodeRef } from "../../../../mod/api/objects/mod.ts";
import type { GarbageFailure } from "../../../../mod/collect/mod.ts";
import type { ObservedPod } from "../../../../mod/pod/observed/mod.ts";
import { type DeadKept, NEWEST_ONLY } from "../../../../mod/runtime/end/mod.ts";
import { EventList } from "../../../support/event_list.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { ended, observed, sandbox } from "../../../support/observed_pods.ts";

const DEFAULTS = { minimumAgeMs: 0, perContainer: 1, total: -1 };

/** A pod of so many dead containers. */
function podOf(uid: string, count: number): ObservedPod {
  const containers = Array.from(
    { length: count },
    (_, at) => ended("a", 0, { restartCount: count - at, sandboxId: "s1" }),
  );
  return { ...observed(containers, [sandbox({ id: "s1" })]), uid };
}

/** What cannot be removed, by key. */
function failuresOf(...keys: readonly string[]): readonly GarbageFailure[] {
  return keys.map((key) => ({ key, what: `what ${key}`, why: "busy" }));
}

function rig(options: Partial<DeadContainerOptions> = {}) {
  const clock = new FakeClock();
  const pruned: [
    uid: string,
    containers: number,
    kept: DeadKept | undefined,
  ][] = [];
  const pods = [podOf("one", 3), podOf("two", 2), podOf("gone", 9)];
  const events = new EventList();
  const failing: GarbageFailure[] = [];
  const dead = new DeadContainers({
    clock,
    events,
    node: nodeRef("n1"),
    collector: { failures: () => failing },
    pods: () => pods,
    remains: {
      isGone: (uid) => uid === "gone",
      // One of them is of an earlier pod.
      ofThisLife: (pod) => ({ ...pod, containers: pod.containers.slice(1) }),
      prune: ({ uid, containers }, kept) =>
        void pruned.push([uid, containers.length, kept]),
    },
  }, { ...DEFAULTS, ...options });
  return { clock, pruned, dead, events, failing };
}

Deno.test("DeadContainers looks once a minute at what is of the pods that there are", async () => {
  const { clock, pruned, dead } = rig();
  const stop = new AbortController();
  const run = dead.run(stop.signal).catch((error) => error);
  await clock.advance(59_999);
  deepStrictEqual(pruned, []);
  await clock.advance(1);
  deepStrictEqual(pruned, [["one", 2, NEWEST_ONLY], ["two", 1, NEWEST_ONLY]]);
  await clock.advance(60_000);
  strictEqual(pruned.length, 4);
  stop.abort(new Error("over"));
  strictEqual((await run).message, "over");
});

Deno.test("DeadContainers keeps fewer of each where all together are too many", () => {
  for (
    const [total, share] of [[-1, 5], [0, 1], [2, 1], [3, 5]] as const
  ) {
    const { pruned, dead } = rig({ perContainer: 5, total });
    dead.collect();
    deepStrictEqual(pruned.map(([, , kept]) => kept?.perContainer), [
      share,
      share,
    ]);
  }
});

Deno.test("DeadContainers says at each look what of containers cannot be removed, and nothing when all can", () => {
  const { dead, events, failing } = rig();
  dead.collect();
  failing.push(...failuresOf("volumes/1", "cgroup/1", "logs/a/b/1"));
  dead.collect();
  deepStrictEqual(events.texts, []);
  failing.push(...failuresOf("container/1"));
  dead.collect();
  dead.collect();
  const text =
    "Warning ContainerGCFailed: Cannot remove what container/1: busy";
  deepStrictEqual(events.texts, [text, text]);
});

for (
  const [keys, wanted] of [
    [[], undefined],
    [["mycontainer/1"], undefined],
    [["sandbox/1"], "what sandbox/1: busy"],
    [
      ["network/1", "pod/2", "volumes/3", "container/4"],
      "what network/1: busy; what pod/2: busy; what container/4: busy",
    ],
    [
      ["pod/1", "pod/2", "pod/3", "pod/4", "pod/5"],
      "what pod/1: busy; what pod/2: busy; what pod/3: busy; and 2 more",
    ],
  ] as const
) {
  Deno.test(`failureText() says ${wanted} of ${keys.join(", ")}`, () => {
    strictEqual(
      failureText(failuresOf(...keys)),
      wanted && `Cannot remove ${wanted}`,
    );
  });
}

Deno.test("keptAt() counts an age from now, and takes a negative number for any", () => {
  deepStrictEqual(
    keptAt(5_000.9, { ...DEFAULTS, minimumAgeMs: 1_000, perContainer: -1 }),
    { perContainer: Infinity, bornBefore: 4_000_000_000n },
  );
  deepStrictEqual(keptAt(5_000, DEFAULTS), NEWEST_ONLY);
  strictEqual(keptAt(5_000, { ...DEFAULTS, perContainer: 0 }).perContainer, 0);
});
