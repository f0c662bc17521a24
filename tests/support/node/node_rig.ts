/**
 * A server that knows one node and its lease, for those that keep them.
 *
 * @module
 */

import { ApiFailure, type FailureReason } from "../../../mod/api/access/mod.ts";
import type { Lease, Node, NodeStatus } from "../../../mod/api/cluster/mod.ts";
import type {
  LeaseClient,
  NewLease,
  NewNode,
  NodeClient,
  NodePicture,
} from "../../../mod/node/mod.ts";

/** A picture of a small node that is well. */
export function picture(rest: Partial<NodePicture> = {}): NodePicture {
  return {
    addresses: [
      { type: "InternalIP", address: "192.0.2.7" },
      { type: "Hostname", address: "kiosk-1" },
    ],
    capacity: { cpu: "2", memory: "4Gi", pods: "110" },
    allocatable: { cpu: "1", memory: "3Gi", pods: "110" },
    info: {
      architecture: "arm64",
      bootID: "boot-1",
      containerRuntimeVersion: "containerd://1.7.24",
      kernelVersion: "6.1.0",
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.2",
      machineID: "machine",
      operatingSystem: "linux",
      osImage: "Debian",
      systemUUID: "system",
    },
    images: [],
    runtimeHandlers: [],
    pressures: [],
    notReady: [],
    ...rest,
  };
}

/** What was asked of the server: verb, and what was sent. */
export type NodeCall = readonly [verb: string, sent?: unknown];

/** Holds a node and a lease as an API server does, as far as one node may touch them. */
export class NodeServer {
  node: Node | undefined;
  lease: Lease | undefined;
  readonly calls: NodeCall[] = [];
  /** What the next calls are refused with, one each; `undefined` lets one through. */
  readonly refusals: (FailureReason | undefined)[] = [];
  #version = 0;

  readonly nodes: NodeClient = {
    get: () => {
      this.#enter("get node");
      return this.#found(this.node);
    },
    create: (node: NewNode) => {
      this.#enter("create node", node);
      if (this.node !== undefined) throw refusal("AlreadyExists");
      const { metadata } = node;
      this.node = {
        ...node,
        metadata: { ...metadata, namespace: "", uid: "node-uid" },
      };
      return Promise.resolve(this.node);
    },
    patchStatus: async (patch) => {
      this.#enter("patch node", patch);
      const node = await this.#found(this.node);
      const { metadata, status } = patch;
      // The status that follows is the test's to judge by the patch.
      const { labels, annotations } = node.metadata;
      const given = partsOf(metadata);
      this.node = {
        ...node,
        metadata: {
          ...node.metadata,
          labels: { ...labels, ...given.labels },
          annotations: { ...annotations, ...given.annotations },
        },
        status: applied(node.status, status),
      };
      return this.node;
    },
  };

  leases: LeaseClient = {
    get: () => {
      this.#enter("get lease");
      return this.#found(this.lease);
    },
    create: (lease: NewLease) => {
      this.#enter("create lease", lease);
      if (this.lease !== undefined) throw refusal("AlreadyExists");
      return Promise.resolve(this.#keep(lease));
    },
    update: async (lease: Lease) => {
      this.#enter("update lease", lease);
      const held = await this.#found(this.lease);
      const { resourceVersion } = lease.metadata;
      if (held.metadata.resourceVersion !== resourceVersion) {
        throw refusal("Conflict");
      }
      return this.#keep(lease);
    },
  };

  /** An operator deletes the node. */
  forget(): void {
    this.node = undefined;
  }

  /** Another agent, or an operator, writes the lease. */
  write(lease: NewLease | Lease): void {
    this.#keep(lease);
  }

  /** The verbs of the calls since the last time. */
  takeVerbs(): string[] {
    return this.calls.splice(0).map(([verb]) => verb);
  }

  #keep(lease: NewLease | Lease): Lease {
    const resourceVersion = `${++this.#version}`;
    const metadata = { ...lease.metadata, uid: "lease-uid", resourceVersion };
    const kept: Lease = { ...lease, metadata };
    this.lease = kept;
    return kept;
  }

  #enter(...call: NodeCall): void {
    this.calls.push(call);
    const reason = this.refusals.shift();
    if (reason !== undefined) throw refusal(reason);
  }

  #found<T>(object: T | undefined): Promise<T> {
    return object === undefined
      ? Promise.reject(refusal("NotFound"))
      : Promise.resolve(object);
  }
}

function refusal(reason: FailureReason): ApiFailure {
  return new ApiFailure(reason, `refused: ${reason}`);
}

type Texts = Readonly<Record<string, string>>;

function partsOf(metadata: unknown): {
  readonly labels?: Texts;
  readonly annotations?: Texts;
} {
  return typeof metadata === "object" && metadata !== null ? metadata : {};
}

/** Field by field; of conditions by their type. */
function applied(
  before: NodeStatus | undefined,
  patch: Readonly<Record<string, unknown>> = {},
): NodeStatus {
  const { conditions: changed, ...rest } = patch;
  const own = Object.fromEntries(
    Object.entries(rest).filter(([key]) => !key.startsWith("$")),
  );
  const found = new Map(before?.conditions?.map((each) => [each.type, each]));
  for (const each of Array.isArray(changed) ? changed : []) {
    found.set(each.type, { ...found.get(each.type), ...each });
  }
  return { ...before, ...own, conditions: [...found.values()] };
}
