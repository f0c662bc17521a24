/**
 * The agent's client and a real API server, with the rights of a node.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { hasFailed } from "../../../mod/api/access/mod.ts";
import { requestToken } from "../../../mod/kube/objects/mod.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import { NodeClient } from "../../support/cluster/node_client.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

const PODS = "/api/v1/namespaces/default/pods";

await withCluster("the agent's client", (test) => {
  test("a node is made and reported, with no right to more", async (cluster) => {
    await using client = await clientOf(cluster, "edge1");
    const { nodes, signal } = client;
    const place = { namespace: "", name: "edge1" };
    const made = await nodes.create(nodeNamed("edge1"), signal);
    await rejects(nodes.create(nodeNamed("edge1"), signal), {
      reason: "AlreadyExists",
    });
    await rejects(nodes.create(nodeNamed("edge2"), signal), {
      reason: "Forbidden",
    });
    const conditions = [{ type: "Ready", status: "True" }];
    const reported = await nodes.patch(place, {
      type: "strategic",
      subresource: "status",
      body: { status: { conditions } },
    }, signal);
    deepStrictEqual(
      reported.status?.["conditions"],
      conditions.map((each) => ({
        ...each,
        lastHeartbeatTime: null,
        lastTransitionTime: null,
      })),
    );
    await rejects(nodes.update(made, {}, signal), { reason: "Conflict" });
    // By RBAC alone this would be NotFound.
    await rejects(nodes.get({ namespace: "", name: "edge2" }, signal), {
      reason: "Forbidden",
    });
  });

  test("a lease is made and renewed", async (cluster) => {
    await using client = await clientOf(cluster, "edge1");
    const { leases, signal } = client;
    const lease = await leases.create({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "kube-node-lease", name: "edge1" },
      spec: { holderIdentity: "edge1", leaseDurationSeconds: 40 },
    }, signal);
    const renewed = { ...lease.spec, renewTime: "2026-01-01T00:00:00.000000Z" };
    const next = await leases.update({ ...lease, spec: renewed }, {}, signal);
    strictEqual(next.spec?.["renewTime"], renewed.renewTime);
    await rejects(leases.update(lease, {}, signal), { reason: "Conflict" });
  });

  test("a pod is reported, given a token, ended and forgotten", async (cluster) => {
    await using client = await clientOf(cluster, "edge1");
    const { pods, signal } = client;
    await addPod(cluster, "told");
    const place = { namespace: "default", name: "told" };
    const { metadata: { uid } } = await pods.get(place, signal);
    const report = (uid: string, phase: string) =>
      pods.patch(place, {
        type: "strategic",
        subresource: "status",
        body: { metadata: { uid }, status: { phase } },
      }, signal);
    strictEqual((await report(uid, "Running")).status?.["phase"], "Running");
    // Only a PUT and a DELETE of another's uid are conflicts.
    await rejects(report("another", "Failed"), { reason: "Invalid" });
    const token = await requestToken(client.transport, {
      namespace: "default",
      serviceAccount: "default",
      audiences: [],
      expirationSeconds: 600,
      boundTo: { apiVersion: "v1", kind: "Pod", name: "told", uid },
    }, signal);
    strictEqual(token.token.reveal().split(".").length, 3);
    await cluster.kubectl([
      ...["delete", "pod", "told", "--grace-period=7", "--wait=false"],
    ]);
    const ending = await pods.get(place, signal);
    strictEqual(ending.metadata.deletionGracePeriodSeconds, 7);
    const end = (uid: string) =>
      pods.delete(place, { uid, gracePeriodSeconds: 0 }, signal);
    await rejects(end("another"), { reason: "Conflict" });
    await end(uid);
    // The authorizer of nodes knows no pod that is gone: to ask for it is no right of theirs.
    await rejects(
      pods.get(place, signal),
      (error) => hasFailed(error, "NotFound", "Forbidden"),
    );
    await rejects(end(uid), { reason: "NotFound" });
    await rejects(report(uid, "Failed"), { reason: "NotFound" });
  });

  test("an informer follows the pods of its node, also over a server that was killed", async (cluster) => {
    await using client = await clientOf(cluster, "edge1");
    await addPod(cluster, "first");
    await addPod(cluster, "elsewhere", "edge2");
    const informer = client.podInformer("edge1");
    const lines: string[] = [];
    informer.addHandler(({ kind, object: { metadata } }) => {
      lines.push(`${kind} ${metadata.name}`);
    }, { name: "test" });
    const running = informer.run(client.signal);
    const names = () =>
      informer.store.list().map(({ metadata }) => metadata.name).sort();
    const untilNames = (...wanted: readonly string[]) =>
      waitUntil(`${wanted}`, async () => {
        await client.clock.advance(1_000);
        return `${names()}` === `${wanted}`;
      }, { saw: names });
    await untilNames("first");
    await addPod(cluster, "second");
    await untilNames("first", "second");
    await endPod(cluster, "first");
    await untilNames("second");
    await cluster.endPart("kube-apiserver", "SIGKILL");
    await client.clock.advance(5_000);
    deepStrictEqual(names(), ["second"]);
    await cluster.startPart("kube-apiserver");
    await addPod(cluster, "third");
    await untilNames("second", "third");
    deepStrictEqual(lines.filter((line) => !line.startsWith("updated")), [
      "added first",
      "added second",
      "removed first",
      "added third",
    ]);
    client.stop.abort();
    await running;
  });

  test("a server that stands still is noticed within 45 s, and read again", async (cluster) => {
    await using client = await clientOf(cluster, "edge1");
    const watch = await client.pods.watch({}, client.signal).then(
      () => undefined,
      (error) => error,
    );
    // A node may not watch the pods of others.
    strictEqual(watch?.reason, "Forbidden");
    const selection = { fieldSelector: "spec.nodeName=edge1" };
    const events = await client.pods.watch(selection, client.signal);
    let broken: unknown;
    const reading = (async () => {
      for await (const _ of events);
    })().catch((error) => broken = error);
    const pid = cluster.pid("kube-apiserver") ?? 0;
    Deno.kill(pid, "SIGSTOP");
    try {
      for (let seconds = 0; seconds < 46; seconds++) {
        await client.clock.advance(1_000);
      }
      await waitUntil("the watch to break", () => broken !== undefined);
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
    await reading;
    strictEqual(
      broken instanceof Error && "reason" in broken && broken.reason,
      "Unreachable",
    );
    const { items } = await client.pods.list(selection, client.signal);
    deepStrictEqual(items.map(({ metadata }) => metadata.name), [
      "second",
      "third",
    ]);
  });
});

async function clientOf(cluster: Cluster, name: string): Promise<NodeClient> {
  return new NodeClient(await cluster.nodeKubeconfig(name));
}

function nodeNamed(name: string) {
  return { apiVersion: "v1", kind: "Node", metadata: { namespace: "", name } };
}

async function addPod(
  cluster: Cluster,
  name: string,
  nodeName: string = "edge1",
): Promise<void> {
  await cluster.api.create(PODS, {
    metadata: { name },
    spec: { nodeName, containers: [{ name: "c", image: "busybox" }] },
  });
}

async function endPod(cluster: Cluster, name: string): Promise<void> {
  await cluster.api.ask("DELETE", `${PODS}/${name}`, {
    body: { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 },
  });
}
