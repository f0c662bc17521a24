/** DaemonSets on one node, after daemon_controller_test.go of upstream. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import type { DaemonSet } from "../../../../mod/api/workload/mod.ts";
import { daemonSetController } from "../../../../mod/controller/daemon/mod.ts";
import {
  DaemonRig,
  daemonSet,
} from "../../../support/controller/daemon_sets.ts";

async function settled(
  spec: Parameters<typeof daemonSet>[0] = {},
): Promise<DaemonRig> {
  const rig = new DaemonRig();
  await rig.apply(daemonSet(spec));
  await rig.settle();
  rig.calls();
  return rig;
}

Deno.test("TestSimpleDaemonSetLaunchesPods: there is one pod, on the node, and its status", async () => {
  await using rig = await settled();
  deepStrictEqual(rig.pods, ["v1 ready"]);
  const [pod] = rig.live;
  strictEqual(pod?.spec.nodeName, "edge");
  strictEqual(pod.metadata.ownerReferences?.[0]?.uid, "log");
  strictEqual(pod.metadata.generateName, "log-");
  const [revision] = rig.on.objects.all("ControllerRevision");
  deepStrictEqual(pod.metadata.labels, {
    app: "log",
    "controller-revision-hash": revision?.metadata.name.slice("log-".length),
  });
  strictEqual("annotations" in pod.metadata, false);
  deepStrictEqual(rig.set?.status, {
    desiredNumberScheduled: 1,
    currentNumberScheduled: 1,
    numberMisscheduled: 0,
    numberReady: 1,
    numberAvailable: 1,
    numberUnavailable: 0,
    updatedNumberScheduled: 1,
    collisionCount: 0,
    observedGeneration: 1,
  });
  strictEqual(
    rig.on.told[0]?.startsWith("SuccessfulCreate Created pod: log-"),
    true,
  );
});

const daemonTaints = [
  "not-ready NoExecute",
  "unreachable NoExecute",
  "disk-pressure NoSchedule",
  "memory-pressure NoSchedule",
  "pid-pressure NoSchedule",
  "unschedulable NoSchedule",
];

for (const hostNetwork of [false, true]) {
  Deno.test(`AddOrUpdateDaemonPodTolerations: a daemon runs where others may not, host network ${hostNetwork}`, async () => {
    await using rig = new DaemonRig();
    const { template } = daemonSet().spec;
    const tolerations = [
      { key: "mine", operator: "Exists" },
      {
        key: "node.kubernetes.io/not-ready",
        effect: "NoExecute",
        tolerationSeconds: 5,
      },
      { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
    ];
    const spec = { ...template.spec, tolerations, hostNetwork };
    await rig.apply(daemonSet({ template: { ...template, spec } }));
    const has = rig.live[0]?.spec.tolerations ?? [];
    deepStrictEqual(has.slice(0, 2), [tolerations[0], tolerations[2]]);
    const added = [
      ...daemonTaints,
      ...hostNetwork ? ["network-unavailable NoSchedule"] : [],
    ];
    deepStrictEqual(
      has.slice(2).map(({ key, effect, operator }) => {
        strictEqual(operator, "Exists");
        return `${key?.replace("node.kubernetes.io/", "")} ${effect}`;
      }),
      added,
    );
  });
}

Deno.test("TestDealsWithExistingPods: of several pods the oldest stays", async () => {
  await using rig = await settled();
  const [pod] = rig.live;
  if (pod === undefined) throw new Error("no pod");
  for (
    const [name, creationTimestamp] of [
      ["b", "2026-02-01T00:00:00Z"],
      ["a", "2025-01-01T00:00:00Z"],
      ["c", "2025-01-01T00:00:00Z"],
    ] as const
  ) {
    const metadata = { ...pod.metadata, name, uid: name, creationTimestamp };
    rig.on.objects.put({ ...pod, metadata });
  }
  await rig.rest();
  deepStrictEqual(rig.live.map(({ metadata }) => metadata.name), ["a"]);
  strictEqual(rig.calls().join(), "delete,delete,delete");
  strictEqual(
    rig.on.told.some((each) => each === "SuccessfulDelete Deleted pod: c"),
    true,
  );
});

Deno.test("other nodes' pods are not this node's", async () => {
  await using rig = await settled();
  const [pod] = rig.live;
  if (pod === undefined) throw new Error("no pod");
  const metadata = { ...pod.metadata, name: "far", uid: "far" };
  const spec = { ...pod.spec, nodeName: "other" };
  await rig.on.apply({ ...pod, metadata, ...{ spec } });
  await rig.rest();
  deepStrictEqual(rig.calls(), []);
  strictEqual(rig.set?.status?.currentNumberScheduled, 1);
});

Deno.test("a pod that names no node yet is this node's", async () => {
  await using rig = await settled();
  const [pod] = rig.live;
  if (pod === undefined) throw new Error("no pod");
  const { nodeName: _node, ...spec } = pod.spec;
  await rig.on.apply({ ...pod, ...{ spec } });
  await rig.rest();
  deepStrictEqual(rig.calls(), []);
  strictEqual(rig.set?.status?.numberReady, 1);
});

function choosing(spec: Partial<Pod["spec"]>): DaemonSet {
  const { template } = daemonSet().spec;
  return daemonSet({
    template: { ...template, spec: { ...template.spec, ...spec } },
  });
}

function required(value: string): Partial<Pod["spec"]> {
  const matchFields = [{
    key: "metadata.name",
    operator: "In",
    values: [value],
  }];
  const nodeSelectorTerms = [{ matchFields }];
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
  return {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution },
    },
  };
}

const choices: Readonly<
  Record<string, readonly [Partial<Pod["spec"]>, isWanted: boolean]>
> = {
  "nothing": [{}, true],
  "a label that the node has": [{ nodeSelector: { site: "north" } }, true],
  "a label that it has not": [{ nodeSelector: { site: "south" } }, false],
  "its name": [{ nodeName: "edge" }, true],
  "another name": [{ nodeName: "core" }, false],
  "its name by affinity": [required("edge"), true],
  "another name by affinity": [required("core"), false],
};

for (const [title, [spec, isWanted]] of Object.entries(choices)) {
  Deno.test(`TestNodeShouldRunDaemonPod: a set that wants ${title}`, async () => {
    await using rig = new DaemonRig({ site: "north" });
    await rig.apply(choosing(spec));
    deepStrictEqual(rig.pods, isWanted ? ["v1 new"] : []);
    strictEqual(rig.set?.status?.desiredNumberScheduled, isWanted ? 1 : 0);
    strictEqual(rig.set.status.numberUnavailable, isWanted ? 1 : 0);
  });
}

Deno.test("a set has its pod on a node without labels, which refuses it by itself", async () => {
  await using rig = new DaemonRig();
  await rig.apply(choosing({ nodeSelector: { site: "north" } }));
  deepStrictEqual(rig.pods, ["v1 new"]);
});

Deno.test("TestSelectorDaemonDeletesUnselectedPods: what does not fit any more goes", async () => {
  await using rig = new DaemonRig({});
  await rig.apply(daemonSet());
  await rig.settle();
  await rig.apply(choosing({ nodeSelector: { site: "north" } }));
  deepStrictEqual(rig.pods, ["v1 ending"]);
  deepStrictEqual(rig.set?.status, {
    desiredNumberScheduled: 0,
    currentNumberScheduled: 0,
    numberMisscheduled: 1,
    numberReady: 0,
    numberAvailable: 0,
    numberUnavailable: 0,
    updatedNumberScheduled: 0,
    collisionCount: 0,
    observedGeneration: 2,
  });
  await rig.rest();
  deepStrictEqual(rig.calls(), ["create", "delete"]);
  deepStrictEqual(rig.on.told.filter((each) => /Found/.test(each)), []);
});

Deno.test("a pod that ended and does not fit goes without a word", async () => {
  await using rig = new DaemonRig({});
  await rig.apply(daemonSet());
  await rig.fail();
  await rig.fail();
  const told = rig.on.told.filter((each) => /Found/.test(each)).length;
  const [pod] = rig.live;
  rig.calls();
  await rig.apply(choosing({ nodeSelector: { site: "north" } }));
  strictEqual(rig.on.get("Pod", pod?.metadata.name ?? ""), undefined);
  deepStrictEqual(rig.calls(), ["delete"]);
  strictEqual(rig.on.told.filter((each) => /Found/.test(each)).length, told);
});

Deno.test("a pod that goes has gone before the next one comes", async () => {
  await using rig = await settled();
  const [pod] = rig.live;
  if (pod === undefined) throw new Error("no pod");
  await rig.on.objects.delete({ ...pod, ...pod.metadata }, {});
  rig.calls();
  await rig.on.clock.advance(60_000);
  deepStrictEqual(rig.calls(), []);
  await rig.settle();
  deepStrictEqual(rig.calls(), ["create"]);
});

for (
  const [phase, type] of [["Failed", "FailedDaemonPod"], [
    "Succeeded",
    "SucceededDaemonPod",
  ]] as const
) {
  Deno.test(`TestDaemonKillFailedPods: a pod that has ended (${phase}) is replaced, and told`, async () => {
    await using rig = await settled();
    const name = rig.live[0]?.metadata.name;
    await rig.fail(phase);
    deepStrictEqual(rig.calls(), ["delete", "create"]);
    deepStrictEqual(rig.pods, ["v1 new"]);
    const words = phase === "Failed"
      ? "Found failed daemon pod shop/X on node edge, will try to kill it"
      : "Found succeeded daemon pod shop/X on node edge, will try to delete it";
    strictEqual(
      rig.on.told.includes(`${type} ${words.replace("X", `${name}`)}`),
      true,
    );
  });
}

Deno.test("the pauses of pods that fail double up to a quarter of an hour", async () => {
  await using rig = await settled();
  const pauses: number[] = [];
  for (let turn = 0; turn < 14; turn++) {
    await rig.fail();
    let seconds = 0;
    while (rig.live[0]?.status?.phase === "Failed") {
      await rig.on.clock.advance(1_000);
      await rig.rest();
      seconds++;
    }
    pauses.push(seconds);
  }
  deepStrictEqual(
    pauses,
    [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900],
  );
});

Deno.test("a pod that lived for long begins anew, and its pause is over in time however the clock is set", async () => {
  await using rig = await settled();
  await rig.fail();
  await rig.fail();
  await rig.on.clock.advance(30 * 60_000 + 1_000);
  await rig.fail();
  deepStrictEqual(rig.pods, ["v1 new"]);
  const annotations = () => rig.live[0]?.metadata.annotations;
  deepStrictEqual(annotations(), { "skerry.dev/failures-before": "3" });
  await rig.on.clock.advance(30 * 60_000 + 1_000);
  await rig.fail();
  deepStrictEqual(annotations(), { "skerry.dev/failures-before": "1" });
  rig.on.clock.wall = 0;
  await rig.fail();
  deepStrictEqual(rig.pods, ["v1 Failed"]);
  await rig.on.clock.advance(1_000);
  await rig.rest();
  deepStrictEqual(rig.pods, ["v1 new"]);
  deepStrictEqual(annotations(), { "skerry.dev/failures-before": "2" });
  await rig.fail();
  rig.on.clock.wall = Date.UTC(2026, 5, 1);
  await rig.on.clock.advance(1_000);
  await rig.rest();
  deepStrictEqual(rig.pods, ["v1 Failed"]);
  await rig.on.clock.advance(1_000);
  await rig.rest();
  deepStrictEqual(rig.pods, ["v1 new"]);
  deepStrictEqual(annotations(), { "skerry.dev/failures-before": "3" });
});

Deno.test("the pod of a mended template is made without a pause", async () => {
  await using rig = await settled();
  for (let turn = 0; turn < 5; turn++) {
    await rig.on.clock.advance(20_000);
    await rig.fail();
  }
  await rig.fail();
  deepStrictEqual(rig.pods, ["v1 Failed"]);
  await rig.apply(daemonSet({}, "v2"));
  deepStrictEqual(rig.pods, ["v2 new"]);
  deepStrictEqual(rig.live[0]?.metadata.annotations, undefined);
});

Deno.test("the annotations of a template stay beside the count of failures", async () => {
  await using rig = new DaemonRig();
  const { template } = daemonSet().spec;
  const metadata = { ...template.metadata, annotations: { note: "x" } };
  await rig.apply(daemonSet({ template: { ...template, metadata } }));
  await rig.fail();
  deepStrictEqual(rig.live[0]?.metadata.annotations, {
    note: "x",
    "skerry.dev/failures-before": "1",
  });
});

Deno.test("TestNumberReadyStatus: a pod is available after it was ready for so long", async () => {
  await using rig = new DaemonRig();
  await rig.apply(daemonSet({ minReadySeconds: 30 }));
  await rig.settle();
  strictEqual(rig.set?.status?.numberReady, 1);
  strictEqual(rig.set.status.numberAvailable, 0);
  strictEqual(rig.set.status.numberUnavailable, 1);
  await rig.on.clock.advance(30_000);
  await rig.rest();
  strictEqual(rig.set.status.numberAvailable, 1);
});

for (const phase of ["Failed", "Succeeded"]) {
  Deno.test(`what is said of a pod that has ended (${phase}), and of what is done`, async () => {
    await using rig = new DaemonRig();
    await rig.apply(daemonSet());
    const { cache } = rig.on.objects;
    const set = daemonSet();
    const controller = daemonSetController({ nodeName: "edge" });
    const { pods, ...seen } = controller.gather(set, cache);
    const [pod] = pods;
    if (pod === undefined) throw new Error("no pod");
    const ended = { ...pod, status: { phase } };
    const wishes = controller.step({ ...seen, pods: [ended] }, 0);
    const warns = phase === "Failed";
    deepStrictEqual(
      wishes.events?.map(({ type }) => type),
      [warns ? "Warning" : "Normal"],
    );
    deepStrictEqual(
      wishes.changes.map(({ events }) => events),
      [["Delete", "Deleted", "deleting"], ["Create", "Created", "creating"]]
        .map(([verb, done, doing]) => ({
          done: {
            type: "Normal",
            reason: `Successful${verb}`,
            message: `${done} pod: {name}`,
          },
          failed: {
            type: "Warning",
            reason: `Failed${verb}`,
            message: `Error ${doing}: {error}`,
          },
        })),
    );
  });
}

Deno.test("nothing is made for a set that goes", () => {
  const set = daemonSet();
  const metadata = {
    ...set.metadata,
    deletionTimestamp: "2026-01-01T00:00:00Z",
  };
  const seen = { set: { ...set, metadata }, pods: [], revisions: [] };
  const wishes = daemonSetController({ nodeName: "edge" }).step(seen, 0);
  deepStrictEqual(wishes, { changes: [] });
});

Deno.test("nothing is done while nothing changes", async () => {
  await using rig = await settled({ minReadySeconds: 5 });
  await rig.on.clock.advance(600_000);
  const calls = rig.on.objects.calls.length;
  await rig.on.clock.advance(24 * 3_600_000);
  strictEqual(rig.on.objects.calls.length, calls);
  strictEqual(rig.on.clock.pendingTimers, 0);
});
