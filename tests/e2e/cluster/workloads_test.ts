/**
 * What controllers of a cluster have a node run: Deployments, DaemonSets, Jobs and CronJobs.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  isNodeReady,
  joinedContainer as container,
  JoinedRig,
  lookAtNode,
} from "../../support/cluster/joined_rig.ts";
import { onlyKubeletCalls } from "../../support/cluster/kubelet_calls.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

/** The template of a pod that belongs to a test's own node. */
const template = (app: string, node: string, spec: object) => ({
  metadata: { labels: { app } },
  spec: {
    nodeSelector: { "kubernetes.io/hostname": node },
    terminationGracePeriodSeconds: 1,
    ...spec,
  },
});

const workload = (apiVersion: string, kind: string, name: string) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "default" },
});

const selector = (app: string) => ({ matchLabels: { app } });

await withCluster("workloads on a node", (test) => {
  test("ten pods of a Deployment run, see new values of their ConfigMap and Secret, are replaced and end", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge1");
    await rig.until("a node that is ready", lookAtNode("edge1"), isNodeReady);
    const values = async (value: string): Promise<void> => {
      await rig.create({
        ...workload("v1", "ConfigMap", "settings"),
        data: { value },
      });
      await rig.create({
        ...workload("v1", "Secret", "keys"),
        stringData: { value },
      });
    };
    await values("one");
    const isTwo =
      "grep -q two /etc/settings/value && grep -q two /etc/keys/value";
    await rig.create({
      ...workload("apps/v1", "Deployment", "ten"),
      spec: {
        replicas: 10,
        // Else the second round would have to wait for the first.
        strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 10 } },
        selector: selector("ten"),
        template: template("ten", "edge1", {
          containers: [
            container("sleep 3600", {
              readinessProbe: {
                exec: { command: ["sh", "-c", isTwo] },
                periodSeconds: 1,
              },
              volumeMounts: [
                { name: "settings", mountPath: "/etc/settings" },
                { name: "keys", mountPath: "/etc/keys" },
              ],
            }),
          ],
          volumes: [
            { name: "settings", configMap: { name: "settings" } },
            { name: "keys", secret: { secretName: "keys" } },
          ],
        }),
      },
    });
    await rig.until(
      "ten pods that run and are not ready",
      ["get", "pods", "-l", "app=ten", "--no-headers"],
      (text) => text.match(/0\/1\s+Running\s+0\s/g)?.length === 10,
    );
    await values("two");
    const rollout = ["rollout", "status", "deployment/ten", "--timeout=110s"];
    await rig.kubectl(...rollout);
    const before = await uids(rig, "ten");
    strictEqual(new Set(before).size, 10);
    await rig.kubectl("rollout", "restart", "deployment/ten");
    await rig.kubectl(...rollout);
    await rig.until(
      "ten other pods",
      [...podsOf("ten"), "-o", "jsonpath={.items[*].metadata.uid}"],
      (text) => {
        const now = text.split(" ");
        return now.length === 10 && now.every((uid) => !before.includes(uid));
      },
    );
    const deleted = ["delete", "deployment/ten", "--cascade=foreground"];
    await rig.kubectl(...deleted, "--timeout=110s");
    await rig.agent.until("no pod on the node", (pods) => pods.length === 0);
  });

  test("a DaemonSet runs one pod, rolls out a new version and goes back to the old one", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge2");
    await rig.until("a node that is ready", lookAtNode("edge2"), isNodeReady);
    const daemon = (version: string) => ({
      ...workload("apps/v1", "DaemonSet", "daemon"),
      spec: {
        selector: selector("daemon"),
        template: template("daemon", "edge2", {
          containers: [
            container("sleep 3600", {
              env: [{ name: "VERSION", value: version }],
            }),
          ],
        }),
      },
    });
    const rolledOut = async (version: string): Promise<string> => {
      const status = ["rollout", "status", "daemonset/daemon"];
      await rig.kubectl(...status, "--timeout=110s");
      const found = await rig.until(
        `one pod of version ${version}`,
        [
          ...podsOf("daemon"),
          "-o",
          "jsonpath={range .items[*]}{.spec.containers[0].env[0].value} {.status.phase} {.metadata.uid};{end}",
        ],
        (text) => /^\S+ Running \S+;$/.test(text),
      );
      match(found, new RegExp(`^${version} `));
      return found;
    };
    await rig.create(daemon("one"));
    const first = await rolledOut("one");
    await rig.create(daemon("two"));
    await rolledOut("two");
    await rig.kubectl("rollout", "undo", "daemonset/daemon");
    const third = await rolledOut("one");
    ok(third !== first);
    await rig.kubectl("delete", "daemonset/daemon", "--timeout=110s");
  });

  test("Jobs complete, fail after their retries, and are made by a CronJob on time and by hand", async (cluster) => {
    await using rig = await JoinedRig.start(cluster, "edge3");
    await rig.until("a node that is ready", lookAtNode("edge3"), isNodeReady);
    const job = (app: string, command: string, spec: object) => ({
      ...spec,
      template: template(app, "edge3", {
        restartPolicy: "Never",
        containers: [container(command)],
      }),
    });
    await rig.create({
      ...workload("batch/v1", "CronJob", "tick"),
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: job("tick", "echo tick", {}) },
      },
    });
    await rig.create({
      ...workload("batch/v1", "Job", "three"),
      spec: job("three", "echo done", { completions: 3, parallelism: 2 }),
    });
    await rig.create({
      ...workload("batch/v1", "Job", "fails"),
      spec: job("fails", "echo no; exit 3", { backoffLimit: 1 }),
    });
    await rig.kubectl("create", "job", "by-hand", "--from=cronjob/tick");
    const wait = ["wait", "--timeout=110s"];
    await rig.kubectl(...wait, "--for=condition=complete", "job/three");
    await rig.kubectl(...wait, "--for=condition=complete", "job/by-hand");
    await rig.kubectl(...wait, "--for=condition=failed", "job/fails");
    const ends = (app: string) =>
      rig.kubectl(
        ...podsOf(app),
        "-o",
        "jsonpath={range .items[*]}{.status.phase} {.status.containerStatuses[0].state.terminated.reason} {.status.containerStatuses[0].state.terminated.exitCode};{end}",
      );
    deepStrictEqual(await ends("three"), "Succeeded Completed 0;".repeat(3));
    deepStrictEqual(await ends("fails"), "Failed Error 3;".repeat(2));
    match(
      await rig.kubectl("get", "job/fails", "-o", "yaml"),
      /reason: BackoffLimitExceeded/,
    );
    await rig.until(
      "a Job that the minute brought",
      ["get", "jobs", "--no-headers"],
      (text) => /^tick-\d+\s+Complete\s+1\/1/m.test(text),
    );
    await rig.kubectl("delete", "cronjob/tick", "job/three", "job/fails");
    await rig.agent.until("no pod on the node", (pods) => pods.length === 0);
  });

  test("all of it took no call that a kubelet does not make, and none that is not its right", async (cluster) => {
    await onlyKubeletCalls(cluster);
  });
}, { hasControllers: true, hasScheduler: true });

function podsOf(app: string): readonly string[] {
  return ["get", "pods", "-l", `app=${app}`];
}

async function uids(rig: JoinedRig, app: string): Promise<readonly string[]> {
  const format = ["-o", "jsonpath={.items[*].metadata.uid}"];
  return (await rig.kubectl(...podsOf(app), ...format)).split(" ");
}
