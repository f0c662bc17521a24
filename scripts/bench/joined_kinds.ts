/**
 * Skerry and the kubelet as nodes of one cluster.
 *
 * @module
 */

import type { Cluster } from "../../tests/support/cluster/cluster.ts";
import { podManifest } from "../lib/pod_manifest.ts";
import { waitUntil } from "../lib/wait_until.ts";
import type { Bench } from "./bench_runtime.ts";
import { KUBELET_NODE } from "./kubelet_config.ts";

/** Where pods are made. */
export const PODS_PATH = "/api/v1/namespaces/default/pods";

/** One node that is measured. */
export interface JoinedNode extends AsyncDisposable {
  readonly pid: number;
  start(): Promise<void>;
  untilAnswers(): Promise<void>;
}

/** An agent that can be a node of the cluster, and the runtime that it has. */
export interface JoinedKind {
  readonly name: "skerry" | "kubelet";
  readonly nodeName: string;
  readonly bench: Bench;
  /** Nothing runs yet. */
  create(): Promise<JoinedNode>;
}

/** By which the node of skerry is known. */
const SKERRY_NODE = "skerry";

/** Skerry on a runtime apart, and the kubelet if one was named. */
export function joinedKinds({ cluster, bench, apart }: {
  readonly cluster: Cluster;
  readonly bench: Bench;
  readonly apart: Bench;
}): readonly JoinedKind[] {
  const skerry: JoinedKind = {
    name: "skerry",
    nodeName: SKERRY_NODE,
    bench: apart,
    create: async () => await skerryNode(cluster, apart),
  };
  const kubelet: JoinedKind = {
    name: "kubelet",
    nodeName: KUBELET_NODE,
    bench,
    create: async () => await kubeletNode(cluster, bench),
  };
  return bench.hasKubelet ? [skerry, kubelet] : [skerry];
}

/** A pod with one sleeping container that is bound to a node. */
export function boundPod(
  name: string,
  nodeName: string,
): Record<string, unknown> {
  return podManifest(name, {
    nodeName,
    // Without a server for the cluster's names they would complain of it again and again.
    dnsPolicy: "Default",
    containers: [{ name: "main", command: ["sleep", "100000"] }],
  });
}

/** Waits until the cluster takes a node for ready. */
export async function untilNodeReady(
  cluster: Cluster,
  nodeName: string,
): Promise<void> {
  let seen = "";
  await waitUntil(`a ready node "${nodeName}"`, async () => {
    seen = (await cluster.kubectl(["get", "nodes", "--no-headers"])).text;
    return new RegExp(`^${nodeName}\\s+Ready\\s`, "m").test(seen);
  }, { saw: () => seen, everyMs: 500 });
}

async function skerryNode(
  cluster: Cluster,
  bench: Bench,
): Promise<JoinedNode> {
  const kubeconfig = await cluster.nodeKubeconfig(SKERRY_NODE);
  const agent = await bench.agent({
    nodeName: SKERRY_NODE,
    args: [`--kubeconfig=${kubeconfig}`],
  });
  return {
    get pid() {
      return agent.pid;
    },
    start: () => agent.start(),
    untilAnswers: async () => {
      await agent.until("the agent answers", () => true);
    },
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}

async function kubeletNode(
  cluster: Cluster,
  bench: Bench,
): Promise<JoinedNode> {
  const kubelet = await bench.kubelet({
    kubeconfigPath: await cluster.nodeKubeconfig(KUBELET_NODE),
  });
  return {
    get pid() {
      return kubelet.pid;
    },
    start: () => {
      kubelet.start();
      return Promise.resolve();
    },
    untilAnswers: () => kubelet.untilAnswers(),
    [Symbol.asyncDispose]: () => kubelet[Symbol.asyncDispose](),
  };
}
