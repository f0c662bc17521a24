/**
 * What the agent knows of its node, and the files that every pod is told of.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import { parseQuantity, type Quantity } from "../api/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import {
  getCpuCount,
  getTotalMemoryBytes,
  listAddresses,
  readFileBounded,
} from "../host/mod.ts";
import {
  type NodeFacts,
  parseResolvConf,
  type ResolverConfig,
} from "../runtime/mod.ts";

/** Upstream reads at most this much of a resolver file. */
const NODE_FILE_LIMIT_BYTES = 10 << 20;

/** How old a reading may be for a pod that starts. */
const REFRESH_PERIOD_MS = 1_000;

/** The node's addresses as configured, else the first global IPv4 address. */
export function nodeAddresses(config: AgentConfig): readonly string[] {
  if (config.node.ips.length > 0) return config.node.ips;
  const found = listAddresses().find(({ family, address }) =>
    family === "IPv4" && !/^(127|169\.254)\./.test(address)
  );
  return found === undefined ? [] : [found.address];
}

/** Gathers what the requests for pods need to know of the node. */
export function nodeFacts(
  config: AgentConfig,
  ips: readonly string[],
): NodeFacts {
  const memoryBytes = BigInt(getTotalMemoryBytes());
  const quantity = (text: string): Quantity => parseQuantity(text);
  return {
    name: config.node.name,
    ips,
    memoryBytes,
    allocatable: new Map([
      ["cpu", quantity(String(getCpuCount()))],
      ["memory", quantity(String(memoryBytes))],
      ["pods", quantity(String(config.node.maxPods))],
    ]),
    cgroups: {
      driver: config.node.cgroupDriver,
      // The sandbox hides /sys: nothing is sent that only one version understands.
      version: 1,
      root: config.node.cgroupRoot === "" ? "/" : config.node.cgroupRoot,
      perQos: true,
      cpuCfsQuota: true,
      cpuCfsPeriodMs: 100,
      hugePageSizes: [],
    },
    seccompDefault: false,
    seccompProfileRoot: `${config.paths.rootDir}/seccomp`,
  };
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
