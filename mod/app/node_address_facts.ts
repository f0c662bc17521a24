/**
 * What the agent knows of its node, and the files that every pod is told of.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
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
  listAddresses,
  openCgroups,
  readHugePages,
} from "../host/machine/mod.ts";
import { readFileBounded } from "../host/files/mod.ts";
import { hugePageName } from "../pod/resources/mod.ts";
import {
  type NodeFacts,
  parseResolvConf,
  type ResolverConfig,
  thermalThrottlePaths,
} from "../runtime/spec/mod.ts";
import { NodeIps } from "./node_ips.ts";

/** Upstream reads at most this much of a resolver file. */
const NODE_FILE_LIMIT_BYTES = 10 << 20;

/** How old a reading may be for a pod that starts. */
const REFRESH_PERIOD_MS = 1_000;

/** The node's addresses, asked of the machine unless they are configured. */
export function nodeIps(
  config: AgentConfig,
  deps: { readonly clock: Clock; readonly log: Logger },
): NodeIps {
  return new NodeIps(config.node.ips, {
    ...deps,
    list: listAddresses,
    isGranted: (address) =>
      Deno.permissions.querySync({
        name: "net",
        host: address.includes(":") ? `[${address}]` : address,
      }).state === "granted",
  });
}

/** What the machine shows beyond what every process may ask. */
export interface HostFacts {
  /** The kernel's cgroups, if a host view shows them. */
  readonly cgroups?: CgroupTree | undefined;
  /** Sizes of huge pages and how many there are. */
  readonly hugePages: readonly HugePages[];
  /** Size of the disk that pods' files lie on; `undefined` when it is not told. */
  readonly diskBytes?: bigint | undefined;
}

/** Of a machine that shows nothing. */
export const NO_HOST_FACTS: HostFacts = { hugePages: [] };

/**
 * Looks at what `--host-view` and the disk show; what is missing is left out.
 *
 * @throws {FileError} When something is there and cannot be read.
 */
export async function readHostFacts(config: AgentConfig): Promise<HostFacts> {
  const { hostView } = config.node;
  const diskBytes = await getDiskSizeBytes(config.paths.rootDir);
  if (hostView === undefined) return { ...NO_HOST_FACTS, diskBytes };
  return {
    cgroups: await openCgroups(`${hostView}/${HOST_VIEW.cgroup}`),
    hugePages: await readHugePages(`${hostView}/${HOST_VIEW.hugePages}`),
    diskBytes,
  };
}

/** What of the node is found out while the agent runs. */
export interface NodeFactsOptions {
  readonly host?: HostFacts;
  /** The cgroup driver as far as it is known; the configured one when absent. */
  readonly driver?: { readonly current: CgroupDriver };
}

/** Gathers what the requests for pods need to know of the node. */
export function nodeFacts(
  config: AgentConfig,
  ips: Pick<NodeIps, "current">,
  options: NodeFactsOptions = {},
): NodeFacts {
  const { node } = config;
  const { host = NO_HOST_FACTS } = options;
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
        return options.driver?.current ?? node.cgroupDriver;
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

/**
 * What pods may use: what the machine has, less what is kept for others.
 *
 * Upstream: pkg/kubelet/cm GetNodeAllocatableReservation, without the thresholds of
 * eviction.
 */
export function allocatableOf(
  config: AgentConfig,
  host: HostFacts,
): ReadonlyMap<string, Quantity> {
  const { node } = config;
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

/**
 * The node's resolver and hosts files, as last read.
 *
 * An agent often starts before the network has told the resolver's addresses, so
 * what was read at the start must not hold for ever: each new sandbox reads again.
 */
export class NodeFiles {
  readonly #resolvConf: string | undefined;
  #resolver: ResolverConfig | undefined;
  #hosts = "";
  readonly #clock: Clock;
  #readMs = -Infinity;
  #reading: Promise<void> = Promise.resolve();

  /** @param resolvConf The resolver's file; `undefined` when pods get none of it. */
  constructor(resolvConf: string | undefined, deps: { clock: Clock }) {
    this.#resolvConf = resolvConf;
    this.#clock = deps.clock;
  }

  get resolver(): ResolverConfig | undefined {
    return this.#resolver;
  }

  get hosts(): string {
    return this.#hosts;
  }

  /**
   * Reads both; a file that is not there counts as empty. Pods that start together
   * share one reading.
   */
  async refresh(): Promise<void> {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#readMs < REFRESH_PERIOD_MS) return await this.#reading;
    this.#readMs = nowMs;
    this.#reading = this.#read();
    await this.#reading;
  }

  async #read(): Promise<void> {
    const path = this.#resolvConf;
    const [resolver, hosts] = await Promise.all([
      path === undefined ? undefined : readText(path),
      readText("/etc/hosts"),
    ]);
    this.#resolver = resolver === undefined
      ? undefined
      : parseResolvConf(resolver);
    this.#hosts = hosts;
  }
}

async function readText(path: string): Promise<string> {
  const read = await readFileBounded(path, NODE_FILE_LIMIT_BYTES);
  return read.kind === "read" ? new TextDecoder().decode(read.bytes) : "";
}
