/**
 * An agent in its sandbox that becomes a node with a token, and renews its certificate while
 * pods run.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import {
  BUSYBOX_IMAGE,
  ContainerdRig,
} from "../../../scripts/lib/containerd_rig.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";
import { TempDir } from "../../support/temp_dir.ts";

const NODE = "edge1";

const CONFIG = `
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
rotateCertificates: true
`;

await withCluster("a node that begins with a token", (test) => {
  test("its manifests run before it is known; its pods run on while its certificates follow each other (IN-13)", async (cluster) => {
    await using runtime = await ContainerdRig.start();
    await using config = await TempDir.make();
    const at = (name: string): string => `${config.path}/${name}`;
    await Deno.writeTextFile(at("config.yaml"), CONFIG);
    const good = await Deno.readTextFile(await cluster.bootstrapKubeconfig());
    const wrong = good.replace(/"token": "[^"]*"/, '"token": "wrong1.wrong"');
    await Deno.writeTextFile(at("bootstrap"), wrong);
    await using agent = await AgentProcess.start({
      runtimeSocket: runtime.socketPath,
      podNetwork: runtime.podNetwork,
      nodeName: NODE,
      args: [
        `--kubeconfig=${at("kubelet.conf")}`,
        `--bootstrap-kubeconfig=${at("bootstrap")}`,
        `--config=${at("config.yaml")}`,
      ],
    });
    await agent.apply("kiosk.json", pod("kiosk", {}));
    await waitUntil(
      "a manifest that runs",
      async () => (await agent.pods())?.[0]?.status?.phase === "Running",
    );
    await waitUntil(
      "the log about the token",
      async () => (await logOf(agent)).includes("certificate_not_renewed"),
    );
    await Deno.writeTextFile(at("bootstrap"), good);
    await until(cluster, "a node that is ready", [
      ...["get", "nodes", NODE, "--no-headers"],
    ], (text) => /^\S+\s+Ready\s/.test(text));
    const pem = `${agent.rootDir}/pki/kubelet-client-current.pem`;
    const { users } = JSON.parse(await Deno.readTextFile(at("kubelet.conf")));
    strictEqual(users[0].user["client-certificate"], pem);
    await Deno.remove(at("bootstrap"));

    await create(cluster, agent, pod("first", { nodeName: NODE }));
    await until(cluster, "a pod that runs", phaseOf("first"), isRunning);
    const container = async () =>
      (await agent.pods())?.find(({ metadata }) => metadata.name === "first")
        ?.status?.containerStatuses?.[0]?.containerID;
    const before = await container();
    const first = await serialIn(pem);
    await waitUntil(
      "another certificate",
      async () => await serialIn(pem) !== first,
    );
    // What comes now has to come over a watch of the new certificate.
    await create(cluster, agent, pod("second", { nodeName: NODE }));
    await until(cluster, "another pod", phaseOf("second"), isRunning);
    ok(before !== undefined);
    strictEqual(await container(), before);

    // What an agent finds is enough without the token.
    await agent.kill();
    await agent.start();
    await create(cluster, agent, pod("third", { nodeName: NODE }));
    await until(
      cluster,
      "a pod after a new start",
      phaseOf("third"),
      isRunning,
    );
    strictEqual(await container(), before);
    const log = await logOf(agent);
    for (const secret of ["PRIVATE KEY", tokenIn(good)]) {
      ok(!log.includes(secret), secret);
    }
    strictEqual(log.split("certificate_not_renewed").length, 2, log);
    ok(!log.includes("certificate_denied"));
    const { text: requests } = await cluster.kubectl([
      ...["get", "csr", "--no-headers"],
      ...["-o", "custom-columns=U:.spec.username,S:.spec.signerName"],
    ]);
    const asked = requests.trim().split("\n").map((line) =>
      line.replace(/\s+/, " ")
    );
    match(asked.sort()[0] ?? "", /^system:bootstrap:/);
    deepStrictEqual([...new Set(asked.slice(1))], [
      `system:node:${NODE} kubernetes.io/kube-apiserver-client-kubelet`,
    ]);
    for (const name of ["first", "second", "third"]) {
      await cluster.kubectl(["delete", "pod", name, "--wait=false"]);
    }
    await agent.removeManifest("kiosk.json");
    await waitUntil("no pod", async () => (await agent.pods())?.length === 0);
    await runtime.removeAllPods();
  });
}, {
  hasControllers: true,
  // With the five minutes by which certificates begin earlier, the next one is due within 78 s.
  arguments: {
    "kube-controller-manager": ["--cluster-signing-duration=2m0s"],
  },
});

function pod(name: string, spec: object): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [{
        name: "main",
        image: BUSYBOX_IMAGE,
        command: ["sh", "-c", "sleep 3600"],
      }],
      ...spec,
    },
  };
}

async function create(
  cluster: Cluster,
  agent: AgentProcess,
  object: object,
): Promise<void> {
  const path = `${agent.directory}/object.json`;
  await Deno.writeTextFile(path, JSON.stringify(object));
  const { ok: isDone, text } = await cluster.kubectl(["apply", "-f", path]);
  ok(isDone, text);
}

function phaseOf(name: string): readonly string[] {
  return ["get", "pod", name, "-o", "jsonpath={.status.phase}"];
}

function isRunning(text: string): boolean {
  return text === "Running";
}

async function until(
  cluster: Cluster,
  what: string,
  args: readonly string[],
  holds: (text: string) => boolean,
): Promise<void> {
  let seen = "";
  await waitUntil(what, async () => {
    seen = (await cluster.kubectl([...args])).text;
    return holds(seen);
  }, { saw: () => seen });
}

async function serialIn(path: string): Promise<string> {
  return new X509Certificate(await Deno.readTextFile(path)).serialNumber;
}

function logOf(agent: AgentProcess): Promise<string> {
  return Deno.readTextFile(`${agent.directory}/agent.log`);
}

function tokenIn(kubeconfig: string): string {
  const { users } = JSON.parse(kubeconfig);
  return users[0].user.token;
}
