/**
 * The node that an agent makes of its machine, as a real API server knows it.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { BUSYBOX_IMAGE } from "../../../scripts/lib/containerd_rig.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Node } from "../../../mod/api/cluster/mod.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import { JoinedRig } from "../../support/cluster/joined_rig.ts";
import {
  forbiddenCalls,
  foreignCalls,
} from "../../support/cluster/kubelet_calls.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

const CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
kubeReserved:
  memory: 64Mi
systemReserved:
  cpu: 100m
evictionHard:
  memory.available: 32Mi
registerWithTaints:
- key: site
  value: north
  effect: PreferNoSchedule
shutdownGracePeriod: 20s
nodeStatusMaxImages: -1
`;

await withCluster("the node that an agent makes of its machine", (test) => {
  test("is told whole, follows its runtime, is made again, and goes down in order", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge1", {
      config: CONFIG,
      args: ["--node-labels=site=north,node.kubernetes.io/kind=kiosk"],
    });
    await rig.untilReady();
    await isWhole(rig);
    await followsRuntime(rig);
    await isMadeAgain(rig);
    await goesDown(rig);
    const calls = (await cluster.calls()).filter(({ user }) =>
      user === "system:node:edge1"
    );
    ok(calls.length > 0);
    deepStrictEqual(foreignCalls(calls), []);
    deepStrictEqual(forbiddenCalls(calls), []);
  });

  test("waits in words where it may not register itself", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge2", {
      config: `${CONFIG}registerNode: false\n`,
    });
    await waitUntil(
      "words",
      async () => (await rig.agent.logTail()).includes("node_missing"),
      { saw: () => rig.agent.logTail() },
    );
    strictEqual(await nodeOf(cluster, "edge2"), undefined);
    await rig.create({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "edge2" },
    });
    await rig.untilReady();
    const node = await nodeOf(cluster, "edge2");
    const taints = node?.spec.taints ?? [];
    ok(taints.every(({ key }) => key !== "site"));
  });
});

async function nodeOf(
  cluster: Cluster,
  name: string,
): Promise<Node | undefined> {
  const { ok: isThere, text } = await cluster.kubectl([
    ...["get", "node", name, "-o", "json"],
  ]);
  return isThere ? JSON.parse(text) : undefined;
}

/** Waits until the node's condition reads so, and gives the node. */
async function untilCondition(
  { cluster, nodeName }: JoinedRig,
  expected: RegExp,
): Promise<Node> {
  let node: Node | undefined;
  let seen = "";
  await waitUntil(`${expected}`, async () => {
    node = await nodeOf(cluster, nodeName);
    const ready = node?.status?.conditions?.find(({ type }) =>
      type === "Ready"
    );
    seen = `${ready?.status} ${ready?.reason}: ${ready?.message}`;
    return expected.test(seen);
  }, { saw: () => seen, everyMs: 50 });
  ok(node !== undefined);
  return node;
}

async function isWhole({ cluster }: JoinedRig): Promise<void> {
  await waitUntil("the runtime's images", async () => {
    const images = (await nodeOf(cluster, "edge1"))?.status?.images ?? [];
    return images.some(({ names }) => names?.includes(BUSYBOX_IMAGE));
  });
  const node = await nodeOf(cluster, "edge1");
  ok(node?.status !== undefined);
  const { labels = {} } = node.metadata;
  deepStrictEqual(
    ["site", "node.kubernetes.io/kind", "kubernetes.io/hostname"].map((key) =>
      labels[key]
    ),
    ["north", "kiosk", "edge1"],
  );
  deepStrictEqual(
    node.spec.taints?.filter(({ key }) => key === "site"),
    [{ key: "site", value: "north", effect: "PreferNoSchedule" }],
  );
  const { status } = node;
  const { capacity = {}, allocatable = {}, addresses = [] } = status;
  strictEqual(mebibytes(capacity) - mebibytes(allocatable), 64 + 32);
  strictEqual(
    Number(capacity["cpu"]) * 1_000 - 100,
    Number(allocatable["cpu"]?.replace("m", "")),
  );
  strictEqual(addresses.at(-1)?.address, "edge1");
  ok(addresses.some(({ type }) => type === "InternalIP"));
  const info = Object.entries(status.nodeInfo ?? {});
  const empty = info.filter(([, value]) => value === "").map(([name]) => name);
  deepStrictEqual(empty, ["kubeProxyVersion"]);
  match(status.nodeInfo?.containerRuntimeVersion ?? "", /^containerd:\/\/\S/);
  deepStrictEqual(
    status.conditions?.map(({ type, status }) => `${type}=${status}`),
    [
      "MemoryPressure=False",
      "DiskPressure=False",
      "PIDPressure=False",
      "Ready=True",
    ],
  );
}

function mebibytes(amounts: Readonly<Record<string, string>>): number {
  const text = amounts["memory"] ?? "";
  const [, number = "", unit = ""] = /^(\d+)(Ki|Mi|)$/.exec(text) ?? [];
  const factor = { Ki: 1 / 1_024, Mi: 1, "": 1 / 1_048_576 }[unit];
  return Number(number) * (factor ?? NaN);
}

/** Its death shows at once, without a look being due, and so does its return. */
async function followsRuntime(rig: JoinedRig): Promise<void> {
  await rig.runtime.killRuntime();
  const away = await untilCondition(
    rig,
    /^False KubeletNotReady: container runtime is down: /,
  );
  // What was known of it stays.
  match(away.status?.nodeInfo?.containerRuntimeVersion ?? "", /^containerd:/);
  ok((away.status?.images?.length ?? 0) > 0);
  await rig.runtime.startRuntime();
  await untilCondition(rig, /^True KubeletReady: kubelet is posting ready/);
  const { text } = await rig.agent.get("/api/v1/events");
  for (const reason of ["Starting", "NodeNotReady", "NodeReady"]) {
    ok(text.includes(`"${reason}"`), reason);
  }
}

async function isMadeAgain(rig: JoinedRig): Promise<void> {
  const before = await nodeOf(rig.cluster, "edge1");
  const gone = await rig.cluster.kubectl(["delete", "node", "edge1"]);
  ok(gone.ok, gone.text);
  await rig.untilReady();
  const after = await nodeOf(rig.cluster, "edge1");
  ok(before?.metadata.uid !== after?.metadata.uid);
  strictEqual(after?.metadata.labels?.["site"], "north");
}

/** A pod that runs sees its node go down; one that comes then is refused. */
async function goesDown(rig: JoinedRig): Promise<void> {
  await rig.create(pod("deaf"));
  const phase = (name: string) => [
    ...["get", "pod", name, "-o", "jsonpath={.status.phase} {.status.reason}"],
  ];
  await rig.until(
    "a pod that runs",
    phase("deaf"),
    (text) => text.startsWith("Running"),
  );
  await Deno.writeTextFile(`${rig.agent.runDir}/machine-stopping`, "");
  const ended = rig.agent.terminate();
  await untilCondition(rig, /^False KubeletNotReady: node is shutting down$/);
  const { text } = await rig.cluster.kubectl(phase("deaf"));
  match(text, /^Running/);
  await rig.create(pod("late"));
  let seen = "";
  await waitUntil("a pod that is refused", async () => {
    seen = (await rig.cluster.kubectl(phase("late"))).text;
    return seen === "Failed NodeShutdown";
  }, { saw: async () => `${seen}: ${await rig.agent.logTail()}` });
  strictEqual(await ended, 0);
}

/** One that lets its agent wait for as long as it has. */
function pod(name: string): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      nodeName: "edge1",
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 30,
      tolerations: [{ operator: "Exists" }],
      containers: [{
        name: "main",
        image: BUSYBOX_IMAGE,
        command: ["sh", "-c", "trap '' TERM; while :; do sleep 1; done"],
      }],
    },
  };
}
