/**
 * The node as the cluster has it: its object, its status and its lease.
 *
 * @module
 */

import type { Lease, Node } from "../../api/cluster/mod.ts";
import type { EventSink } from "../../api/types/mod.ts";
import type { Quantity } from "../../api/objects/mod.ts";
import { type Clock, type Random, TaskGroup } from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import type { AgentConfig, ClusterConfig } from "../../config/mod.ts";
import { SharedInformer } from "../../informer/shared/mod.ts";
import { KubeKind, kubeResource } from "../../kube/objects/mod.ts";
import { getSwapLeft, listAddresses } from "../../host/machine/mod.ts";
import type { CriConnection } from "../../cri/mod.ts";
import type { ApiCaller } from "../../kube/transport/mod.ts";
import {
  type KnownNode,
  knownNode,
  LeaseKeeper,
  type NodeClient,
  NodeReporter,
  type NodeStanding,
} from "../../node/mod.ts";
import type { RuntimePicture, RuntimeWatch } from "../../picture/mod.ts";
import type { ImageRemovals } from "../../reclaim/mod.ts";
import { leaseClient, nodeClient } from "./cluster_clients.ts";
import { KeptNode, type KeptNodeDeps } from "./kept_node.ts";
import { NodeAddresses } from "./node_addresses.ts";
import { schedulableAmounts } from "./node_amounts.ts";
import { NodeImages } from "./node_images.ts";
import { nodePicture, type NodePicturesDeps } from "./node_pictures.ts";

/** What it is built on. */
export interface ClusterNodeDeps extends
  Pick<KeptNodeDeps, "files">,
  Pick<
    NodePicturesDeps,
    "capacity" | "isGoingDown" | "machine" | "pressures"
  > {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly connection: NodePicturesDeps["connection"] & {
    readonly images: Pick<CriConnection["images"], "listImages">;
  };
  readonly ips: { readonly current: readonly string[] };
  /** Of the capacity, what is not reserved for others than pods. */
  readonly allocatable: ReadonlyMap<string, Quantity>;
  readonly removals: Pick<ImageRemovals, "whenChanged">;
  readonly watch: Pick<RuntimeWatch, "health" | "whenOutageChanges">;
  readonly picture: Pick<RuntimePicture, "listedMs">;
  readonly transport: ApiCaller;
  /** Names this agent beside another one of the same node name. */
  readonly agentId: string;
  /** Labels that the node has, whatever its operator says. */
  readonly ownLabels: Readonly<Record<string, string>>;
}

/**
 * A node that is made known later, or not at all, must not keep its pods waiting for good, nor
 * a server that lets nobody ask for leases.
 */
const LEASE_PATIENCE_MS = 5_000;

/** In upstream's words, but for a time that would be another one at each look. */
const STANDSTILL =
  "pleg was last seen active more than 3m0s ago; threshold is 3m0s";

const NODE = { apiVersion: "v1", kind: "Node" } as const;
const LEASE = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" } as const;

/** Makes the node known, and sees how others know it. */
export class ClusterNode {
  readonly #deps: ClusterNodeDeps;
  readonly #nodes: SharedInformer<Node>;
  readonly #reporter: NodeReporter;
  readonly #lease: LeaseKeeper;
  readonly #kept: KeptNode;
  #sinceMs = Infinity;
  /** As it was made, until a watch shows it. */
  #made: Node | undefined;

  constructor(
    config: Pick<AgentConfig, "node" | "paths" | "pressure">,
    cluster: ClusterConfig,
    deps: ClusterNodeDeps,
  ) {
    this.#deps = deps;
    const { transport } = deps;
    const { node, paths } = config;
    this.#kept = new KeptNode({
      directory: `${paths.rootDir}/checkpoints/node`,
      origin: `${cluster.kubeconfig} ${node.name}`,
    }, deps);
    const options = { timeoutMs: callLimitMs(cluster) };
    const nodes = new KubeKind<Node>(transport, kubeResource(NODE), options);
    const leases = new KubeKind<Lease>(transport, kubeResource(LEASE), options);
    this.#nodes = new SharedInformer({ ...deps, source: nodes }, {
      ...NODE,
      selection: { fieldSelector: `metadata.name=${node.name}` },
    });
    const looks = this.#looks(config);
    this.#reporter = new NodeReporter({
      ...deps,
      client: this.#noting(nodeClient(nodes, node.name)),
      current: () => this.current,
      standing: () => this.#standing(),
      picture: (signal) => nodePicture(looks, signal),
    }, {
      identity: {
        name: node.name,
        labels: node.labels,
        ownLabels: deps.ownLabels,
        taints: cluster.taints,
        ...(cluster.providerId !== undefined &&
          { providerId: cluster.providerId }),
      },
      register: cluster.registerNode,
      updateMs: cluster.statusUpdateMs,
      reportMs: cluster.statusReportMs,
      maxImages: cluster.maxImages,
    });
    this.#lease = new LeaseKeeper({
      ...deps,
      client: leaseClient(leases, node.name),
      node: () => this.current ?? this.#made,
    }, {
      nodeName: node.name,
      agentId: deps.agentId,
      durationSeconds: cluster.leaseSeconds,
    });
  }

  /** Has it looked at soon: something has changed. */
  wake(): void {
    this.#reporter.wake();
  }

  /** Has the cluster told of it now; waits until that was tried, or `signal` aborts. */
  async tell(signal: AbortSignal): Promise<void> {
    await this.#reporter.tell(signal);
  }

  /** As the API server showed it last. */
  get current(): Node | undefined {
    return this.#nodes.lister.list()[0];
  }

  /** Whether another agent has the node's name. */
  get isContended(): boolean {
    return this.#lease.state === "contended";
  }

  /** Whether the API server has shown the node, or that there is none. */
  get hasSynced(): boolean {
    return this.#nodes.hasSynced;
  }

  /** Whether pods can be judged: the node was shown, or what it was last is read. */
  get isKnown(): boolean {
    return this.hasSynced || this.#kept.current !== undefined;
  }

  /**
   * What the cluster says of the node, or has said last; `undefined` while that is not known,
   * and when it says that there is none: then what it would be registered with counts.
   */
  get known(): KnownNode | undefined {
    const { current } = this;
    if (current !== undefined) return knownNode(current);
    return this.hasSynced ? undefined : this.#kept.current;
  }

  /**
   * Whether this agent is the node: it has the lease, or nobody can have one. Not while the
   * API server has not answered.
   */
  get isOurs(): boolean {
    const { state } = this.#lease;
    return state === "held" ||
      (state === "free" || state === "untold") && this.#hasWaited;
  }

  get #hasWaited(): boolean {
    const waitedMs = this.#deps.clock.monotonic() - this.#sinceMs;
    return waitedMs >= LEASE_PATIENCE_MS;
  }

  /** The node's object is nobody's to write but of the one that has its lease. */
  #standing(): NodeStanding {
    switch (this.#lease.state) {
      case "held":
        return "ours";
      case "contended":
        return "others";
      case "free":
        return "free";
      case "untold":
        return this.#hasWaited ? "ours" : "unknown";
      case "unknown":
        return "unknown";
    }
  }

  /**
   * Works until `signal` aborts.
   *
   * @param listener is told when the node's object or its ownership may be others
   */
  async run(
    listener: {
      readonly changed: () => void;
      readonly ownershipChanged: () => void;
    },
    signal: AbortSignal,
  ): Promise<void> {
    await using tasks = new TaskGroup(signal);
    this.#sinceMs = this.#deps.clock.monotonic();
    const changed = (): void => {
      const { current } = this;
      if (current !== undefined) {
        this.#made = undefined;
        this.#kept.save(knownNode(current));
      }
      this.#lease.wake();
      this.#reporter.wake();
      listener.changed();
    };
    using handler = this.#nodes.addHandler(changed, { name: "node" });
    const running = [this.#nodes, this.#reporter, this.#lease].map((part) =>
      tasks.start((scope) => part.run(scope))
    );
    running.push(
      tasks.start((scope) => this.#kept.run(listener.changed, scope)),
      // A list without the node says something as well.
      tasks.start(async (scope) => {
        await handler.synced(scope).then(changed, () => {});
      }),
    );
    const ownershipChanged = (): void => {
      this.#reporter.wake();
      listener.ownershipChanged();
    };
    running.push(
      tasks.start((scope) => this.#watchLease(ownershipChanged, scope)),
    );
    await Promise.all(running);
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /** Its lease does not wait until a watch shows a node that was just made. */
  #noting(client: NodeClient): NodeClient {
    return {
      ...client,
      create: async (node, signal) => {
        const made = await client.create(node, signal);
        this.#made = made;
        this.#lease.wake();
        return made;
      },
    };
  }

  /** What is asked at each look; what moves between them wakes the reporter. */
  #looks(
    { node, pressure }: Pick<AgentConfig, "node" | "pressure">,
  ): NodePicturesDeps {
    const { watch, picture, removals, ...deps } = this.#deps;
    const { clock, connection } = deps;
    const images = new NodeImages({ clock, images: connection.images });
    removals.whenChanged(() => images.changed());
    watch.whenOutageChanges(() => {
      images.changed();
      this.#reporter.wake();
    });
    const { thresholds } = pressure;
    return {
      ...deps,
      images,
      addresses: new NodeAddresses({ ...deps, list: listAddresses }, node.name),
      schedulable: schedulableAmounts({ ...deps, thresholds }),
      swapBytes: () => getSwapLeft().capacity,
      // Before the first list the runtime is asked how it is, and that is all.
      standstill: () =>
        picture.listedMs === undefined || watch.health().healthy
          ? undefined
          : STANDSTILL,
    };
  }

  async #watchLease(
    ownershipChanged: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    using _timer = this.#deps.clock.after(LEASE_PATIENCE_MS, ownershipChanged);
    while (!signal.aborted) {
      // Made before telling, so that what comes meanwhile is not overlooked.
      const changed = this.#lease.whenChanged(signal);
      ownershipChanged();
      await changed;
    }
  }
}

/**
 * How long a sign of life may take: no longer than until the next is due.
 *
 * Upstream: heartbeatClientConfig of cmd/kubelet/app/server.go.
 */
function callLimitMs(
  { statusUpdateMs, leaseSeconds }: Pick<
    ClusterConfig,
    "leaseSeconds" | "statusUpdateMs"
  >,
): number {
  return Math.min(statusUpdateMs, leaseSeconds * 1_000);
}
