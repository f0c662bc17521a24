/**
 * The cluster that the agent has joined: its node, its pods, and what they refer to.
 *
 * @module
 */

import { TaskGroup } from "../../base/mod.ts";
import type { AgentConfig, ClusterConfig } from "../../config/mod.ts";
import type { ApiPodSource } from "../../source/api/mod.ts";
import type { EventDelivery } from "../../events/mod.ts";
import type { KnownNode } from "../../node/mod.ts";
import {
  buildClusterEvents,
  type ClusterEventsDeps,
} from "./cluster_events.ts";
import {
  NodeCredentials,
  readKubeFile,
  replaceByStaging,
  secretFiles,
} from "../credentials/mod.ts";
import { ApiReach } from "../../kube/transport/mod.ts";
import { ClusterView } from "./cluster_view.ts";
import { ClusterNode, type ClusterNodeDeps } from "./cluster_node.ts";
import { ClusterPods, type ClusterPodsDeps } from "./cluster_pods.ts";
import {
  buildClusterSource,
  type ClusterSourceDeps,
} from "./cluster_source.ts";
import { keptId, readMachineIdentity } from "./machine_identity.ts";

/** What each part is built on. */
type PartDeps =
  & ClusterNodeDeps
  & Omit<ClusterEventsDeps, "node" | "pods">
  & Omit<ClusterPodsDeps, "leavesOut" | "node" | "refused">
  & Omit<ClusterSourceDeps, "node" | "pods">;

/** What it is built on. */
export type JoinedClusterDeps = Omit<
  PartDeps,
  "agentId" | "machine" | "transport"
>;

/** Speaks to the cluster; made anew with each core. */
export class JoinedCluster {
  readonly source: ApiPodSource;
  readonly view: ClusterView;
  readonly #credentials: NodeCredentials;
  readonly #node: ClusterNode;
  readonly #pods: ClusterPods;
  readonly #events: EventDelivery;
  readonly #listeners = new Set<() => void>();

  private constructor(
    config: AgentConfig,
    cluster: ClusterConfig,
    deps: PartDeps & {
      readonly credentials: NodeCredentials;
      readonly reach: ApiReach;
    },
  ) {
    this.#credentials = deps.credentials;
    const node = new ClusterNode(config, cluster, deps);
    const pods = new ClusterPods({
      ...deps,
      node,
      leavesOut: (pod) => this.source.leavesOut(pod),
      refused: () => this.source.refused,
    });
    this.#node = node;
    this.#pods = pods;
    this.#events = buildClusterEvents(cluster, { ...deps, node, pods });
    this.source = buildClusterSource(config, cluster, { ...deps, node, pods });
    this.view = new ClusterView(cluster, {
      ...deps,
      node,
      checkpointFailure: () => this.source.checkpoint.failure(),
    });
  }

  /** Builds it; nothing is asked yet. */
  static async build(
    config: AgentConfig,
    deps: JoinedClusterDeps,
  ): Promise<JoinedCluster | undefined> {
    const { cluster, paths } = config;
    if (cluster === undefined) return undefined;
    const machine = await readMachineIdentity(config);
    const agentId = await keptId(`${paths.rootDir}/agent-id`);
    const credentials = new NodeCredentials({
      ...deps,
      files: secretFiles,
      readKubeFile,
      writeKubeconfig: (text) =>
        replaceByStaging(cluster.kubeconfig, {
          staging: cluster.kubeconfigStaging,
          text,
        }),
    }, { ...cluster, nodeName: config.node.name });
    const reach = new ApiReach(deps);
    const transport = reach.watched(credentials.caller);
    const parts = { ...deps, machine, agentId, transport, credentials, reach };
    return new JoinedCluster(config, cluster, parts);
  }

  /** What the cluster says of the node; see {@linkcode ClusterNode.known}. */
  get knownNode(): KnownNode | undefined {
    return this.#node.known;
  }

  /** Has a listener called when the cluster may say something else of the node. */
  whenNodeChanges(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Has the node looked at soon: something has changed. */
  wakeNode(): void {
    this.#node.wake();
  }

  /** Has the cluster told of the node now; waits until that was tried, or `signal` aborts. */
  async tellNode(signal: AbortSignal): Promise<void> {
    await this.#node.tell(signal);
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await using tasks = new TaskGroup(signal);
    await using credentials = this.#credentials;
    const listener = {
      changed: () => {
        this.#pods.nodeChanged();
        this.source.wake();
        for (const each of this.#listeners) each();
      },
      ownershipChanged: () => {
        this.view.ownershipChanged();
        this.source.wake();
        this.#pods.flush();
        this.#events.wake();
      },
    };
    const running = [
      tasks.start((scope) => credentials.run(scope)),
      tasks.start((scope) => this.#node.run(listener, scope)),
      tasks.start((scope) => this.#pods.run(scope)),
      tasks.start((scope) => this.#events.run(scope)),
    ];
    await Promise.all(running);
    if (tasks.failure !== undefined) throw tasks.failure;
  }
}
