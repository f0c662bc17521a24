/**
 * What the cluster says of a node decides which of its pods the agent takes.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import {
  joinedContainer as container,
  JoinedRig,
} from "../../support/cluster/joined_rig.ts";
import { onlyKubeletCalls } from "../../support/cluster/kubelet_calls.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

/** A pod that wants a node with a label. */
function pod(name: string, spec: object = {}): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      containers: [container("sleep 3600")],
      ...spec,
    },
  };
}

const ON_SSD = { nodeSelector: { "example.com/disk": "ssd" } };

const statusOf = (name: string): readonly string[] => [
  ...["get", "pod", name, "-o", "jsonpath={.status.phase} {.status.reason}"],
];
const runs = (text: string): boolean => text.trim() === "Running";

await withCluster("a node with labels and taints of its cluster", (test) => {
  test("takes the pods that choose it by a label of kubectl, refuses others, and knows it without the server", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge1");
    await rig.untilReady();
    // A controller's business, which would also end what a taint is to keep away here.
    const notReady = "node.kubernetes.io/not-ready:NoSchedule-";
    await rig.kubectl("taint", "node", "edge1", notReady);
    await rig.create(pod("early", { ...ON_SSD, nodeName: "edge1" }));
    const refused = (reason: string) => (text: string): boolean =>
      text === `Failed ${reason}`;
    await rig.until("a refusal", statusOf("early"), refused("NodeAffinity"));
    await rig.kubectl("label", "node", "edge1", "example.com/disk=ssd");
    await rig.create(pod("web", ON_SSD));
    await rig.until("a pod that was bound", statusOf("web"), runs);
    await rig.kubectl("taint", "node", "edge1", "gone=yes:NoExecute");
    await rig.create(pod("late", { nodeName: "edge1" }));
    await rig.until("a refusal", statusOf("late"), refused("TaintToleration"));
    const tolerations = [{ key: "gone", operator: "Exists" }];
    await rig.create(
      pod("tough", { ...ON_SSD, nodeName: "edge1", tolerations }),
    );
    await rig.until("a pod that tolerates it", statusOf("tough"), runs);
    const here = async (name: string) => {
      const found = (await rig.agent.pods())?.find(({ metadata }) =>
        metadata.name === name
      );
      return {
        uid: found?.metadata.uid,
        phase: found?.status?.phase,
        id: found?.status?.containerStatuses?.[0]?.containerID,
      };
    };
    const [web, tough] = [await here("web"), await here("tough")];
    ok(web.id !== undefined && tough.uid !== undefined);
    // What runs is not judged again, by this agent or the next, also without the server.
    await cluster.endPart("kube-apiserver", "SIGKILL");
    await rig.agent.kill();
    await Deno.remove(`${rig.agent.rootDir}/pods/${tough.uid}`, {
      recursive: true,
    });
    await rig.agent.start();
    await waitUntil(
      "the same container",
      async () => (await here("web")).id === web.id,
    );
    // Of this one nothing is left but its checkpoint: it is judged by what was kept.
    await waitUntil(
      "a pod that is new",
      async () => (await here("tough")).phase === "Running",
    );
    await cluster.startPart("kube-apiserver");
    await rig.create(
      pod("again", { ...ON_SSD, nodeName: "edge1", tolerations }),
    );
    await rig.until("another pod", statusOf("again"), runs);
    strictEqual((await here("web")).id, web.id);
    for (const name of ["early", "web", "late", "tough", "again"]) {
      await rig.kubectl("delete", "pod", name, "--timeout=100s");
    }
    await onlyKubeletCalls(cluster);
  });
}, { hasScheduler: true });
