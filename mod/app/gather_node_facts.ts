/**
 * What the agent knows of its node: from its settings, from the machine, and from what
 * the runtime says.
 *
 * @module
 */

import {
  formatQuantity,
  parseQuantity,
  type Quantity,
  toBytes,
} from "../api/objects/mod.ts";
import { type AgentConfig, HOST_VIEW } from "../config/mod.ts";
import type { CgroupDriver } from "../api/types/mod.ts";
import {
  type CgroupTree,
  getCpuCount,
  getDiskSizeBytes,
  getTotalMemoryBytes,
  type HugePages,
  openCgroups,
  readHugePages,
} from "../host/machine/mod.ts";
import type { KnownNode } from "../node/mod.ts";
import type { AdmissionNode } from "../pod/admission/mod.ts";
import { hugePageName } from "../pod/resources/mod.ts";
import { type NodeFacts, thermalThrottlePaths } from "../runtime/spec/mod.ts";
import type { NodeIps } from "./node_ips.ts";

/** What the machine shows beyond what every process may ask. */
export interface HostFacts {
  /** The kernel's cgroups, if a host view shows them. */
  readonly cgroups?: CgroupTree | undefined;
  /** Sizes of huge pages and how many there are. */
  readonly hugePages: readonly HugePages[];
  /** Size of the disk that pods' files lie on; `undefined` when it is not known. */
  readonly diskBytes?: bigint | undefined;
}

/**
 * Looks at what `--host-view` and the disk show; what is missing is left out.
 *
 * @throws {FileError} When something is there and cannot be read.
 */
export async function readHostFacts(config: AgentConfig): Promise<HostFacts> {
  const { hostView } = config.node;
  const diskBytes = await getDiskSizeBytes(config.paths.rootDir);
  if (hostView === undefined) return { hugePages: [], diskBytes };
  return {
    cgroups: await openCgroups(`${hostView}/${HOST_VIEW.cgroup}`),
    hugePages: await readHugePages(`${hostView}/${HOST_VIEW.hugePages}`),
    diskBytes,
  };
}

/** Gathers what the requests for pods need to know of the node, as it is at each moment. */
export function nodeFacts(
  config: AgentConfig,
  { ips, host, driver }: {
    readonly ips: Pick<NodeIps, "current">;
    readonly host: HostFacts;
    readonly driver: { readonly current: CgroupDriver };
  },
): NodeFacts {
  const { node } = config;
  const memoryBytes = BigInt(getTotalMemoryBytes());
  return {
    name: node.name,
    get ips() {
      return ips.current;
    },
    memoryBytes,
    allocatable: allocatableOf(config, host),
    cgroups: {
      get driver() {
        return driver.current;
      },
      // Without a host view nothing is sent that only one version understands.
      version: host.cgroups?.version ?? 1,
      root: node.cgroupRoot === "" ? "/" : node.cgroupRoot,
      perQos: node.cgroupsPerQos,
      cpuCfsQuota: node.cpuCfsQuota,
      cpuCfsPeriodMs: node.cpuCfsPeriodMs,
      hugePageSizes: hugePageSizes(config, host),
      swapAccounting: host.cgroups?.countsSwap ?? true,
      singleProcessOomKill: node.singleProcessOomKill,
    },
    seccompDefault: node.seccompDefault,
    seccompProfileRoot: `${config.paths.rootDir}/seccomp`,
    maskedPaths: thermalThrottlePaths(getCpuCount()),
  };
}

/** What the machine has, of what pods ask for. */
export function capacityOf(
  { node }: Pick<AgentConfig, "node">,
  host: HostFacts,
): Map<string, Quantity> {
  const capacity = new Map<string, Quantity>([
    ["cpu", parseQuantity(String(getCpuCount()))],
    ["memory", parseQuantity(String(getTotalMemoryBytes()))],
    ["pods", parseQuantity(String(node.maxPods))],
  ]);
  if (host.diskBytes !== undefined) {
    capacity.set("ephemeral-storage", parseQuantity(String(host.diskBytes)));
  }
  for (const { sizeBytes, count } of host.hugePages) {
    const size = formatQuantity(bytesQuantity(sizeBytes));
    capacity.set(`hugepages-${size}`, bytesQuantity(sizeBytes * count));
  }
  return capacity;
}

/**
 * What pods may use: what the machine has, less what is kept for others.
 *
 * Upstream: pkg/kubelet/cm GetNodeAllocatableReservation, without the thresholds of
 * eviction.
 */
function allocatableOf(
  config: AgentConfig,
  host: HostFacts,
): ReadonlyMap<string, Quantity> {
  const { node } = config;
  const capacity = capacityOf(config, host);
  for (const reserved of [node.systemReserved, node.kubeReserved]) {
    for (const [name, amount] of Object.entries(reserved)) {
      const whole = capacity.get(name);
      if (whole === undefined) continue;
      capacity.set(name, less(whole, parseQuantity(amount)));
    }
  }
  return capacity;
}

function hugePageSizes(config: AgentConfig, host: HostFacts): string[] {
  const seen = host.hugePages.map(({ sizeBytes }) => sizeBytes);
  const configured = config.node.hugePageSizes.map((size) =>
    toBytes(parseQuantity(size))
  );
  return (seen.length > 0 ? seen : configured).map(hugePageName);
}

function bytesQuantity(bytes: bigint): Quantity {
  return { nano: bytes * 1_000_000_000n, format: "BinarySI" };
}

function less(whole: Quantity, part: Quantity): Quantity {
  const nano = whole.nano > part.nano ? whole.nano - part.nano : 0n;
  return { ...whole, nano };
}

/** As Go names processors, by how Deno does. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ["x86_64", "amd64"],
  ["aarch64", "arm64"],
]);

/**
 * Puts together what admission compares pods with. What a cluster says of the node counts
 * alone; a node that it does not know is as it would be registered.
 *
 * Upstream: getNodeAnyWay of pkg/kubelet/kubelet_getters.go.
 */
export function admissionNode(
  config: AgentConfig,
  { allocatable, known }: {
    readonly allocatable: ReadonlyMap<string, Quantity>;
    readonly known?: Pick<KnownNode, "labels" | "taints"> | undefined;
  },
): AdmissionNode {
  const { name, labels, allowedUnsafeSysctls } = config.node;
  const { labels: shown, taints } = known ?? {
    labels: { ...labels, ...ownLabels(name) },
    taints: config.cluster?.taints ?? [],
  };
  return {
    name,
    labels: shown,
    taints,
    allocatable,
    allowedUnsafeSysctls,
  };
}

/** What the node offers to pods, which its cluster may change. */
export function nodeOffers(
  config: AgentConfig,
  { allocatable }: Pick<NodeFacts, "allocatable">,
  cluster: () => {
    knownNode(): KnownNode | undefined;
    whenNodeChanges(listener: () => void): void;
  },
): {
  readonly offered: () => AdmissionNode;
  readonly whenNodeChanges: (listener: () => void) => void;
} {
  return {
    offered: () =>
      admissionNode(config, { allocatable, known: cluster().knownNode() }),
    whenNodeChanges: (listener) => cluster().whenNodeChanges(listener),
  };
}

/** The labels that every node has, whatever its operator says. */
export function ownLabels(nodeName: string): Readonly<Record<string, string>> {
  const arch = ARCHITECTURES.get(Deno.build.arch) ?? Deno.build.arch;
  return {
    "kubernetes.io/hostname": nodeName,
    "kubernetes.io/os": Deno.build.os,
    "kubernetes.io/arch": arch,
    "beta.kubernetes.io/os": Deno.build.os,
    "beta.kubernetes.io/arch": arch,
  };
}
