/**
 * What the last list tells of pods of ours.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { WorkerView } from "../../../../mod/agent/workers/worker_record.ts";
import { ListedPods } from "../../../../mod/agent/desired/listed_pods.ts";
import { ANNOTATION_CONFIG_SOURCE } from "../../../../mod/api/vocabulary/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import type { PodState } from "../../../../mod/pod/lifecycle/mod.ts";
import type { PodListing } from "../../../../mod/runtime/observe/mod.ts";
import { containerRow, sandboxRow } from "../../../support/runtime_rows.ts";
import { podOf } from "../../../support/pods.ts";
import { workerView } from "../../../support/agent/worker_view.ts";

type Sandbox = PodListing["sandboxes"][number];
type Container = PodListing["containers"][number];

function sandbox(state: Sandbox["state"], createdAt: bigint): Sandbox {
  const annotations = { [ANNOTATION_CONFIG_SOURCE]: "http" };
  return sandboxRow("a", { state, createdAt, annotations });
}

function container(state: Container["state"], createdAt: bigint): Container {
  return containerRow("a", { state, createdAt });
}

/** A pod `web` of the namespace `shop` as a list shows it. */
function listing(uid: string, facts: Partial<PodListing> = {}): PodListing {
  return {
    uid,
    name: "web",
    namespace: "shop",
    alive: true,
    sandboxes: [sandbox("ready", 5n)],
    containers: [],
    ...facts,
  };
}

function worker(uid: string, state: PodState, of?: Pod): WorkerView {
  const isOrphan = of === undefined;
  return { ...workerView(of ?? podOf(uid), { state, isOrphan }), uid };
}

const TERMINATING: PodState = {
  kind: "terminating",
  cause: "removed",
  graceSeconds: 30,
};

function seen(
  pods: readonly PodListing[] | undefined,
  options: {
    readonly owned?: readonly string[];
    readonly workers?: readonly WorkerView[];
    readonly expected?: readonly Pod[] | "not known";
    readonly ended?: readonly string[];
  } = {},
): ListedPods {
  const { owned = pods?.map(({ uid }) => uid) ?? [], workers = [] } = options;
  const { expected: given = [], ended = [] } = options;
  const expected = given === "not known" ? undefined : given;
  return new ListedPods({
    runtimePods: () => pods,
    ownedUids: () => new Set(owned),
    owns: (uid) => owned.includes(uid),
    workers: {
      get: (uid) => workers.find((each) => each.uid === uid),
      ofName: (name) => workers.filter(({ fullName }) => fullName === name),
    },
    expectedPods: () => expected,
    statuses: {
      get: (uid) => ended.includes(uid) ? { phase: "Succeeded" } : undefined,
    },
  });
}

Deno.test("ListedPods visits a list of a thousand pods once, whatever it is asked about each of them", () => {
  let visits = 0;
  const pods = Array.from({ length: 1_000 }, (_, number) => {
    const pod = listing(`u-${number}`, { name: `pod-${number}` });
    return new Proxy(pod, {
      get: (target, key) => {
        visits++;
        return Reflect.get(target, key);
      },
    });
  });
  const named = seen(pods, { owned: pods.map(({ uid }) => uid) });
  visits = 0;
  for (let number = 0; number < 1_000; number++) {
    const alive = named.alive(`pod-${number}_shop`);
    deepStrictEqual([...alive?.keys() ?? []], [`u-${number}`]);
    strictEqual(named.sourceOf(`u-${number}`), "http");
  }
  // Fields that are read.
  strictEqual(visits <= 16 * 1_000, true, `${visits} visits`);
});

Deno.test("ListedPods.alive() knows nobody before the first list", () => {
  strictEqual(seen(undefined).alive("web_shop"), undefined);
});

Deno.test("ListedPods.alive() tells since when the oldest running container is there, else the oldest ready sandbox", () => {
  const pods = seen([
    listing("containers", {
      sandboxes: [sandbox("ready", 1n)],
      containers: [
        container("exited", 2n),
        container("running", 4n),
        container("unknown", 3n),
      ],
    }),
    listing("sandboxes", {
      sandboxes: [
        sandbox("not_ready", 6n),
        sandbox("ready", 8n),
        sandbox("ready", 7n),
      ],
      containers: [container("exited", 2n)],
    }),
  ]);
  deepStrictEqual(
    pods.alive("web_shop"),
    new Map([["containers", 3n], ["sandboxes", 7n]]),
  );
});

Deno.test("ListedPods.alive() leaves out the dead, other names and other agents' pods", () => {
  const pods = seen([
    listing("dead", { alive: false }),
    listing("name", { name: "other" }),
    listing("namespace", { namespace: "other" }),
    listing("unmanaged"),
  ], { owned: ["dead", "name", "namespace"] });
  deepStrictEqual(pods.alive("web_shop"), new Map());
});

Deno.test("ListedPods.alive() goes by the worker of a pod that has ended since the list", () => {
  const states: readonly PodState[] = [
    { kind: "syncing" },
    TERMINATING,
    { kind: "terminated", cause: "removed", atMs: 0 },
    { kind: "finished", cause: "completed" },
  ];
  const pods = seen(states.map(({ kind }) => listing(kind)), {
    owned: states.map(({ kind }) => kind),
    workers: states.map((state) => worker(state.kind, state)),
  });
  deepStrictEqual(
    [...pods.alive("web_shop")?.keys() ?? []],
    ["syncing", "terminating"],
  );
});

Deno.test("ListedPods.alive() counts a wanted pod whose directory was lost", () => {
  const pods = seen([listing("a")], {
    owned: [],
    workers: [worker("a", { kind: "syncing" }, podOf("a"))],
  });
  deepStrictEqual([...pods.alive("web_shop")?.keys() ?? []], ["a"]);
});

Deno.test("ListedPods.unclaimed() restores the pods of ours that have no worker, or one without a manifest", () => {
  const pods = seen([
    listing("unclaimed"),
    listing("orphan"),
    listing("known"),
    listing("dead", { alive: false }),
    listing("unmanaged"),
    listing("over"),
  ], {
    owned: ["unclaimed", "orphan", "known", "dead", "over"],
    workers: [
      worker("orphan", TERMINATING),
      worker("known", { kind: "syncing" }, podOf("known")),
      worker("over", { kind: "terminated", cause: "removed", atMs: 0 }),
    ],
  });
  deepStrictEqual(
    pods.unclaimed()?.map(({ metadata: { uid, name } }) => [uid, name]),
    [["unclaimed", "web"], ["orphan", "web"]],
  );
});

Deno.test("ListedPods.unclaimed() knows none before the first list, unless all pods of ours are accounted for", () => {
  const known = worker("a", { kind: "syncing" }, podOf("a"));
  const ask = (owned: readonly string[], workers: readonly WorkerView[]) =>
    seen(undefined, { owned, workers }).unclaimed();
  deepStrictEqual(ask([], []), []);
  deepStrictEqual(ask(["a"], [known]), []);
  strictEqual(ask(["a", "b"], [known]), undefined);
  strictEqual(ask(["a"], [worker("a", TERMINATING)]), undefined);
});

Deno.test("ListedPods.sourceOf() reads the source of a pod from its sandbox", () => {
  const pods = seen([listing("a"), listing("b", { sandboxes: [] })]);
  strictEqual(pods.sourceOf("a"), "http");
  strictEqual(pods.sourceOf("b"), undefined);
  strictEqual(pods.sourceOf("c"), undefined);
  strictEqual(seen(undefined).sourceOf("a"), undefined);
});

/** A pod `web` of the namespace `shop`, as its source had it. */
function expected(uid: string): Pod {
  return podOf(uid, { name: "web" });
}

Deno.test("ListedPods counts pods that ran here while their source is asked, though nothing of them is alive", () => {
  const listed = [
    listing("alive"),
    listing("dead", { alive: false }),
    listing("ended", { alive: false }),
  ];
  const pods = seen(listed, {
    owned: ["alive", "dead", "ended", "lost", "wanted"],
    expected: ["alive", "dead", "ended", "lost", "never", "wanted"]
      .map(expected),
    ended: ["ended"],
    workers: [worker("wanted", { kind: "syncing" }, expected("wanted"))],
  });
  // What its manifest says of it is more than what the runtime does.
  deepStrictEqual(
    pods.unclaimed(),
    ["alive", "dead", "lost"].map(expected),
  );
  const last = 2n ** 63n;
  deepStrictEqual(
    pods.alive("web_shop"),
    new Map([["wanted", last], ["alive", 5n], ["dead", last], ["lost", last]]),
  );
});

Deno.test("ListedPods knows nothing while it is not known what sources had", () => {
  const pods = seen([listing("a")], { expected: "not known" });
  strictEqual(pods.alive("web_shop"), undefined);
  strictEqual(pods.unclaimed(), undefined);
});
