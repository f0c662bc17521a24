/**
 * What operators of a cluster do to a node and its pods: delete, cordon, drain, taint, upgrade.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { agentBundle } from "../../../scripts/bundle.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import { VERSION } from "../../../mod/config/mod.ts";
import {
  isNodeReady,
  joinedContainer as container,
  JoinedRig,
  lookAtNode,
} from "../../support/cluster/joined_rig.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

/** Starts an agent whose node is ready. */
async function joined(
  cluster: JoinedRig["cluster"],
  node: string,
): Promise<JoinedRig> {
  const rig = await JoinedRig.start(cluster, node);
  await rig.until("a node that is ready", lookAtNode(node), isNodeReady);
  return rig;
}

/** The spec of a pod that belongs to a test's own node. */
const specOn = (node: string, main: unknown, rest: object = {}) => ({
  nodeSelector: { "kubernetes.io/hostname": node },
  terminationGracePeriodSeconds: 1,
  containers: [main],
  ...rest,
});

const podOn = (name: string, spec: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec,
});

const running = (rig: JoinedRig, name: string) =>
  rig.until(
    `pod ${name}, which runs`,
    ["get", "pod", name, "--no-headers"],
    (text) => /1\/1\s+Running/.test(text),
  );

/** The ids of containers by the names of their pods. */
async function ids(rig: JoinedRig): Promise<ReadonlyMap<string, string>> {
  const pods = await rig.agent.pods() ?? [];
  return new Map(pods.map(({ metadata, status }) => [
    metadata.name,
    `${status?.containerStatuses?.[0]?.containerID}`,
  ]));
}

await withCluster("operations on a node", (test) => {
  test("kubectl delete gives a pod its own grace, a shorter one, or none", async (cluster) => {
    await using rig = await joined(cluster, "edge1");
    const shared = `${rig.agent.directory}/shared`;
    await Deno.mkdir(shared);
    const slow = (name: string, seconds: number) =>
      podOn(
        name,
        specOn(
          "edge1",
          container(
            `trap 'echo asked >/shared/${name}; sleep ${seconds}; echo ended >>/shared/${name}; exit 0' TERM; touch /shared/${name}; while :; do sleep 0.1; done`,
            { volumeMounts: [{ name: "shared", mountPath: "/shared" }] },
          ),
          {
            terminationGracePeriodSeconds: 100,
            volumes: [{ name: "shared", hostPath: { path: shared } }],
          },
        ),
      );
    const pods = [["own", 2], ["short", 90], ["shorter", 90], ["none", 90]];
    for (const [name, seconds] of pods) {
      await rig.create(slow(`${name}`, Number(seconds)));
    }
    for (const [name] of pods) await running(rig, `${name}`);
    for (const [name] of pods) {
      // The trap is set before the file is there.
      await waitUntil(`a trap in ${name}`, () => exists(`${shared}/${name}`));
    }
    const said = (name: string) => Deno.readTextFile(`${shared}/${name}`);
    const wait = "--timeout=60s";
    // What has 90 seconds to do is ended before, or the wait would be too short.
    await rig.kubectl("delete", "pod", "shorter", "--wait=false");
    await waitUntil(
      "a pod that was asked to end",
      async () => await said("shorter") === "asked\n",
    );
    await rig.kubectl("delete", "pod", "own", wait);
    strictEqual(await said("own"), "asked\nended\n");
    await rig.kubectl("delete", "pod", "short", "--grace-period=1", wait);
    strictEqual(await said("short"), "asked\n");
    await rig.kubectl("delete", "pod", "shorter", "--grace-period=1", wait);
    strictEqual(await said("shorter"), "asked\n");
    const force = ["--grace-period=0", "--force", wait];
    await rig.kubectl("delete", "pod", "none", ...force);
    await rig.agent.until("no pod on the node", (all) => all.length === 0);
    ok(!(await said("none")).includes("ended"));
  });

  test("a cordoned node gets no pods, a drained one loses all but its daemons, as its budgets allow", async (cluster) => {
    await using rig = await joined(cluster, "edge2");
    const workload = (kind: string, name: string, spec: object = {}) => ({
      apiVersion: "apps/v1",
      kind,
      metadata: { name, namespace: "default" },
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: specOn("edge2", container("sleep 3600")),
        },
        ...spec,
      },
    });
    const shown = (app: string, holds: RegExp) =>
      rig.until(
        `pods of ${app} like ${holds}`,
        ["get", "pods", "-l", `app=${app}`, "--no-headers"],
        (text) => holds.test(text),
      );
    const BOTH = /^(\S+\s+1\/1\s+Running\s.*\n?){2}$/;
    const PENDING = /^(\S+\s+0\/1\s+Pending\s.*\n?){2}$/;
    await rig.create(workload("DaemonSet", "daemon"));
    await rig.kubectl("cordon", "edge2");
    await rig.create(workload("Deployment", "app", { replicas: 2 }));
    await shown("daemon", /1\/1\s+Running/);
    await shown("app", PENDING);
    await rig.kubectl("uncordon", "edge2");
    await shown("app", BOTH);
    await rig.create({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "app", namespace: "default" },
      spec: { minAvailable: 2, selector: { matchLabels: { app: "app" } } },
    });
    await rig.until(
      "a budget that counts its pods",
      ["get", "pdb", "app", "-o", "jsonpath={.status.currentHealthy}"],
      (text) => text === "2",
    );
    const drain = (seconds: number) =>
      cluster.kubectl([
        ...["drain", "edge2", "--ignore-daemonsets", `--timeout=${seconds}s`],
      ]);
    const before = await ids(rig);
    const refused = await drain(7);
    ok(!refused.ok);
    match(refused.text, /would violate the pod's disruption budget/);
    strictEqual((await ids(rig)).size, before.size);
    await rig.kubectl("delete", "pdb", "app");
    const drained = await drain(100);
    ok(drained.ok, drained.text);
    const after = await rig.agent.until(
      "the daemon alone",
      (pods) => pods.length === 1,
    );
    const [daemon] = after.map(({ metadata: { name } }) => name);
    ok(daemon !== undefined && daemon.startsWith("daemon-"));
    strictEqual((await ids(rig)).get(daemon), before.get(daemon));
    await shown("app", PENDING);
    await rig.kubectl("uncordon", "edge2");
    await shown("app", BOTH);
    await rig.kubectl("delete", "deployment/app", "daemonset/daemon");
    await rig.agent.until("no pod on the node", (pods) => pods.length === 0);
  });

  test("a taint that executes ends what does not tolerate it, at once or in time", async (cluster) => {
    await using rig = await joined(cluster, "edge3");
    const tolerating = (seconds?: number) => ({
      tolerations: [{
        key: "site",
        operator: "Exists",
        effect: "NoExecute",
        ...seconds !== undefined && { tolerationSeconds: seconds },
      }],
    });
    const main = container("sleep 3600");
    await rig.create(podOn("none", specOn("edge3", main)));
    await rig.create(podOn("some", specOn("edge3", main, tolerating(3))));
    await rig.create(podOn("all", specOn("edge3", main, tolerating())));
    for (const name of ["none", "some", "all"]) await running(rig, name);
    const before = await ids(rig);
    await rig.kubectl("taint", "nodes", "edge3", "site=closed:NoExecute");
    await rig.until(
      "one pod that is left",
      ["get", "pods", "-o", "name", "--field-selector=spec.nodeName=edge3"],
      (text) => text.trim() === "pod/all",
    );
    await rig.agent.until("the same here", (pods) => pods.length === 1);
    strictEqual((await ids(rig)).get("all"), before.get("all"));
    await rig.kubectl("taint", "nodes", "edge3", "site-");
    await rig.kubectl("delete", "pod", "all", "--timeout=100s");
  });

  test("an agent that is upgraded goes on with the same containers, and says of which version it is", async (cluster) => {
    await using rig = await joined(cluster, "edge4");
    await rig.create(podOn("stays", specOn("edge4", container("sleep 3600"))));
    await running(rig, "stays");
    const uid = ["get", "pod", "stays", "-o", "jsonpath={.metadata.uid}"];
    const [first, before] = [await rig.kubectl(...uid), await ids(rig)];
    const version = [
      ...["get", "node", "edge4"],
      ...["-o", "jsonpath={.status.nodeInfo.kubeletVersion}"],
    ];
    match(await rig.kubectl(...version), new RegExp(`${VERSION}$`));
    strictEqual(await rig.agent.terminate(), 0);
    const next = `${rig.agent.directory}/next`;
    await copyBundle(next, [VERSION, "99.1.2"]);
    await rig.agent.start({ entry: `${next}/main.js` });
    await rig.until(
      "a node of the new version",
      version,
      (text) => text.endsWith("99.1.2"),
    );
    await rig.until("a node that is ready", lookAtNode("edge4"), isNodeReady);
    strictEqual(await rig.kubectl(...uid), first);
    await rig.agent.until(
      "a pod that is known again",
      ([pod]) => pod?.status?.containerStatuses?.[0] !== undefined,
    );
    strictEqual((await ids(rig)).get("stays"), before.get("stays"));
    match(await running(rig, "stays"), /Running\s+0\s/);
    const calls = (await cluster.calls()).filter(({ userAgent }) =>
      userAgent === "skerry/99.1.2"
    );
    ok(calls.length > 0);
    ok(calls.every(({ verb }) => verb !== "delete"), JSON.stringify(calls));
    await rig.kubectl("delete", "pod", "stays", "--timeout=100s");
  });
}, { hasControllers: true, hasScheduler: true });

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    // Not yet.
    return false;
  }
}

/** The agent as it is shipped, with another version. */
async function copyBundle(
  to: string,
  [from, version]: readonly [string, string],
): Promise<void> {
  const bundle = (await agentBundle()).replace(/\/[^/]*$/, "");
  await Deno.mkdir(to);
  for await (const { name, isFile } of Deno.readDir(bundle)) {
    if (!isFile) continue;
    const text = await Deno.readTextFile(`${bundle}/${name}`);
    await Deno.writeTextFile(
      `${to}/${name}`,
      text.replaceAll(`"${from}"`, `"${version}"`),
    );
  }
}
