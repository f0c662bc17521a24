/**
 * The cluster that other tests join: it is a real one, and as strict with nodes as it
 * should be.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CLUSTER_VERSION } from "../../../scripts/cluster_components.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

await withCluster("the test cluster", (test) => {
  test("kubectl and the API server are of one version", async (cluster) => {
    const { ok: isDone, text } = await cluster.kubectl(["version"]);
    ok(isDone, text);
    match(text, new RegExp(`Client Version: ${CLUSTER_VERSION}\\n`));
    match(text, new RegExp(`Server Version: ${CLUSTER_VERSION}\\n`));
  });

  test("a node makes its own Node, and no other's", async (cluster) => {
    const kubeconfig = await cluster.nodeKubeconfig("edge1");
    const own = await createNode(cluster, { name: "edge1", kubeconfig });
    ok(own.ok, own.text);
    const other = await createNode(cluster, { name: "edge2", kubeconfig });
    strictEqual(other.ok, false);
    match(other.text, /node "edge1" is not allowed to modify node "edge2"/);
  });

  test("what a node asked is told", async (cluster) => {
    const kubeconfig = await cluster.nodeKubeconfig("edge1");
    const before = (await cluster.calls()).length;
    await cluster.kubectl(["get", "--raw=/api/v1/nodes/edge1"], { kubeconfig });
    await cluster.kubectl(["get", "--raw=/api/v1/nodes/edge1"]);
    const [call, ...more] = (await cluster.calls()).slice(before);
    deepStrictEqual(more, []);
    ok(call);
    const { user, verb, resource, name, code } = call;
    deepStrictEqual([user, verb, resource, name, code], [
      "system:node:edge1",
      "get",
      "nodes",
      "edge1",
      200,
    ]);
  });

  test("a node sees no Secret that none of its pods names", async (cluster) => {
    const kubeconfig = await cluster.nodeKubeconfig("edge1");
    await cluster.api.create("/api/v1/namespaces/default/secrets", {
      metadata: { name: "word" },
    });
    const seen = await cluster.kubectl(["get", "secret", "word"], {
      kubeconfig,
    });
    strictEqual(seen.ok, false);
    match(seen.text, /no relationship found between node 'edge1'/);
  });

  test("the API server comes back with what it had", async (cluster) => {
    await cluster.endPart("kube-apiserver", "SIGKILL");
    strictEqual((await cluster.kubectl(["get", "nodes"])).ok, false);
    await cluster.startPart("kube-apiserver");
    const { text } = await cluster.kubectl(["get", "nodes", "-o", "name"]);
    match(text, /^node\/edge1$/m);
  });
});

await withCluster("the test cluster with controllers", (test) => {
  test("a Deployment's pods are given the node that is ready", async (cluster) => {
    const kubeconfig = await cluster.nodeKubeconfig("edge1");
    await createNode(cluster, { name: "edge1", kubeconfig });
    await makeReady(cluster, "edge1");
    await cluster.kubectl([
      ...["create", "deployment", "web", "--image=busybox", "--replicas=2"],
    ]);
    let seen = "";
    await waitUntil("two pods on the node", async () => {
      seen = (await cluster.kubectl([
        ...["get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}"],
      ])).text;
      return seen === "edge1 edge1";
    }, { saw: () => seen });
  });

  test("one with a bootstrap token may ask for a certificate", async (cluster) => {
    const kubeconfig = await cluster.bootstrapKubeconfig();
    const who = await cluster.kubectl(["auth", "whoami"], { kubeconfig });
    match(who.text, /system:bootstrap:[0-9a-f]{6}/);
    const may = await cluster.kubectl([
      ...["auth", "can-i", "create", "certificatesigningrequests"],
    ], { kubeconfig });
    match(may.text, /^yes$/m);
  });
}, { hasControllers: true, hasScheduler: true });

interface Named {
  readonly name: string;
  readonly kubeconfig: string;
}

async function createNode(
  cluster: Cluster,
  { name, kubeconfig }: Named,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const path = `${cluster.directory}/${name}.json`;
  const node = { apiVersion: "v1", kind: "Node", metadata: { name } };
  await Deno.writeTextFile(path, JSON.stringify(node));
  return await cluster.kubectl(["create", "-f", path], { kubeconfig });
}

/** Says of a node what it would say itself. */
async function makeReady(cluster: Cluster, name: string): Promise<void> {
  const now = new Date().toISOString();
  const size = { cpu: "2", memory: "2Gi", pods: "110" };
  const condition = {
    type: "Ready",
    status: "True",
    reason: "KubeletReady",
    message: "it is",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const { status } = await cluster.api.ask(
    "PATCH",
    `/api/v1/nodes/${name}/status`,
    {
      type: "application/merge-patch+json",
      body: {
        status: { capacity: size, allocatable: size, conditions: [condition] },
      },
    },
  );
  strictEqual(status, 200);
}
