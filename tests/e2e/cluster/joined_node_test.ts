/**
 * An agent that is a node of a real cluster, on a real runtime, in its sandbox.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import {
  isNodeReady,
  joinedContainer as container,
  JoinedRig,
  lookAtNode,
} from "../../support/cluster/joined_rig.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

await withCluster("a node of a cluster", (test) => {
  test("the node is ready, runs what is bound to it, and lets it go", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge1");
    await rig.until("a node that is ready", lookAtNode("edge1"), isNodeReady);
    await rig.until(
      "its lease",
      ["get", "lease", "-n", "kube-node-lease", "edge1", "-o", "name"],
      (text) => text.includes("edge1"),
    );
    await rig.create(settings("hello"));
    await rig.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default" },
      spec: {
        nodeName: "edge1",
        terminationGracePeriodSeconds: 1,
        containers: [
          container("cat /etc/settings/greeting; sleep 3600", {
            volumeMounts: [{ name: "settings", mountPath: "/etc/settings" }],
          }),
        ],
        volumes: [{ name: "settings", configMap: { name: "settings" } }],
      },
    });
    const running = await rig.until(
      "a pod that runs",
      ["get", "pod", "web", "--no-headers", "-o", "wide"],
      (text) => /^web\s+1\/1\s+Running\s+0\s/.test(text),
    );
    match(running, /edge1/);
    // A token of its service account is among its volumes.
    const { text: volumes } = await cluster.kubectl([
      ...["get", "pod", "web", "-o", "jsonpath={.spec.volumes[*].name}"],
    ]);
    match(volumes, /kube-api-access/);
    const gone = await cluster.kubectl([
      ...["delete", "pod", "web", "--wait=true", "--timeout=100s"],
    ]);
    ok(gone.ok, gone.text);
    await waitUntil(
      "no pod on the node",
      async () => (await rig.agent.pods())?.length === 0,
    );
  });

  test("a Deployment is run, scaled and rolled out; a ConfigMap reaches its pods", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge2");
    await rig.until("a node that is ready", lookAtNode("edge2"), isNodeReady);
    await rig.create(settings("one"));
    const deployment = (replicas: number, version: string) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "app", namespace: "default" },
      spec: {
        replicas,
        selector: { matchLabels: { app: "app" } },
        template: {
          metadata: { labels: { app: "app" } },
          spec: {
            // Nodes of tests before are still taken for alive.
            nodeSelector: { "kubernetes.io/hostname": "edge2" },
            terminationGracePeriodSeconds: 1,
            containers: [
              container("sleep 3600", {
                env: [{ name: "VERSION", value: version }],
                volumeMounts: [{ name: "s", mountPath: "/etc/settings" }],
                readinessProbe: {
                  exec: {
                    command: ["grep", "-q", "two", "/etc/settings/greeting"],
                  },
                  periodSeconds: 1,
                },
              }),
            ],
            volumes: [{ name: "s", configMap: { name: "settings" } }],
          },
        },
      },
    });
    const ready = (replicas: number) =>
      rig.until(
        `${replicas} pods that are ready`,
        [
          "get",
          "deployment",
          "app",
          "-o",
          "jsonpath={.status.readyReplicas}/{.status.updatedReplicas}/{.status.replicas}",
        ],
        (text) => text === `${replicas}/${replicas}/${replicas}`,
      );
    await rig.create(deployment(2, "1"));
    await rig.until(
      "two pods that run and are not ready",
      ["get", "pods", "-l", "app=app", "--no-headers"],
      (text) => text.match(/0\/1\s+Running/g)?.length === 2,
    );
    await rig.create(settings("two"));
    await ready(2);
    await rig.create(deployment(3, "2"));
    await ready(3);
    const { ok: isGone, text } = await cluster.kubectl([
      ...[
        "delete",
        "deployment",
        "app",
        "--cascade=foreground",
        "--timeout=100s",
      ],
    ]);
    ok(isGone, text);
  });

  test("the API server goes and comes: what runs runs on, what changed is made up for", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge3");
    await rig.until("a node that is ready", lookAtNode("edge3"), isNodeReady);
    const pod = (name: string) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: {
        nodeName: "edge3",
        terminationGracePeriodSeconds: 1,
        containers: [container("sleep 3600")],
      },
    });
    await rig.create(pod("stays"));
    const phase = (name: string) => [
      ...["get", "pod", name, "-o", "jsonpath={.status.phase}"],
    ];
    const runs = (text: string): boolean => text === "Running";
    await rig.until("a pod that runs", phase("stays"), runs);
    const id = async () =>
      (await rig.agent.pods())?.map(({ status }) =>
        status?.containerStatuses?.[0]?.containerID
      ).join();
    const before = await id();
    await cluster.endPart("kube-apiserver", "SIGKILL");
    // The agent and its machine start anew without it.
    await rig.agent.kill();
    await rig.agent.start();
    await waitUntil("the same container", async () => await id() === before);
    await cluster.startPart("kube-apiserver");
    await rig.create(pod("comes"));
    await rig.until("another pod that runs", phase("comes"), runs);
    ok((await id())?.includes(`${before}`));
    for (const name of ["stays", "comes"]) {
      const { ok: isGone, text } = await cluster.kubectl([
        ...["delete", "pod", name, "--timeout=100s"],
      ]);
      ok(isGone, text);
    }
  });

  test("a manifest has a mirror, which shows how it is and ends nothing, also where an agent before had the name", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge1");
    await rig.until("a node that is ready", lookAtNode("edge1"), isNodeReady);
    await rig.agent.apply("kiosk.json", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "kiosk" },
      spec: { containers: [container("sleep 3600")] },
    });
    const look = ["get", "pod", "kiosk-edge1", "--no-headers"];
    const isRunning = (text: string): boolean => /1\/1\s+Running/.test(text);
    await rig.until("a mirror that runs", look, isRunning);
    await cluster.kubectl([
      ...[
        "delete",
        "pod",
        "kiosk-edge1",
        "--wait=false",
        "--grace-period=0",
        "--force",
      ],
    ]);
    await rig.until("the mirror again", look, isRunning);
    const [own] = await rig.agent.pods() ?? [];
    strictEqual(own?.status?.containerStatuses?.[0]?.restartCount, 0);
    await rig.agent.removeManifest("kiosk.json");
    await rig.until(
      "no mirror",
      ["get", "pods", "-o", "name"],
      (text) => !text.includes("kiosk"),
    );
  });
}, { hasControllers: true, hasScheduler: true });

function settings(greeting: string): unknown {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "default" },
    data: { greeting },
  };
}
