/**
 * All builders of configurations behind one port, made once for a node.
 *
 * @module
 */

import type { Pod } from "../api/mod.ts";
import type { ContainerConfig, SandboxConfig } from "../cri/mod.ts";
import { buildContainerConfig } from "./container_spec.ts";
import { type NodeDns, podDns, type ResolverConfig } from "./dns.ts";
import { hostsFileContent } from "./hosts_file.ts";
import type { SpecBuilder, SpecWarning } from "./ports.ts";
import { buildSandboxConfig, podHostname } from "./sandbox_spec.ts";
import type {
  ContainerSpecInput,
  NodeFacts,
  SandboxSpecInput,
  SpecResult,
} from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/** What the configurations of all pods of a node have in common. */
export interface SpecBuilderOptions {
  readonly node: NodeFacts;
  readonly podLogsDir: string;
  /**
   * The node's resolv.conf, read; `undefined` to give pods none of it. Asked for
   * each sandbox, since it changes with the network the node is in.
   */
  readonly hostDns: () => ResolverConfig | undefined;
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** The text of the node's own hosts file, asked for each pod on its network. */
  readonly nodeHostsFile: () => string;
}

/** {@linkcode SpecBuilder} of one node. Pure but for what its options answer. */
export class NodeSpecBuilder implements SpecBuilder {
  readonly #options: SpecBuilderOptions;

  constructor(options: SpecBuilderOptions) {
    this.#options = options;
  }

  get nodeIps(): readonly string[] {
    return this.#options.node.ips;
  }

  sandbox(
    input: Pick<SandboxSpecInput, "pod" | "attempt">,
  ): SpecResult<SandboxConfig> & {
    readonly warnings?: readonly SpecWarning[];
  } {
    const { node, podLogsDir, clusterDomain } = this.#options;
    const { config: dns, warnings } = podDns(input.pod, this.#nodeDns());
    try {
      const config = buildSandboxConfig({
        ...input,
        node,
        podLogsDir,
        clusterDomain,
        dns,
      });
      return { kind: "ok", config, warnings };
    } catch (error) {
      if (!(error instanceof SpecRefusal)) throw error;
      return {
        kind: "refused",
        reason: "CreateContainerConfigError",
        message: error.message,
      };
    }
  }

  container(
    input: Omit<ContainerSpecInput, "node">,
  ): SpecResult<ContainerConfig> {
    return buildContainerConfig({ ...input, node: this.#options.node });
  }

  /** @throws {SpecRefusal} for a pod whose sandbox was refused for its name */
  hostsFile(pod: Pod, podIps: readonly string[]): string {
    const { clusterDomain, nodeHostsFile } = this.#options;
    return hostsFileContent({
      pod,
      podIps,
      nodeHostsFile: pod.spec.hostNetwork === true ? nodeHostsFile() : "",
      ...podHostname(pod, clusterDomain),
    });
  }

  #nodeDns(): NodeDns {
    const { hostDns, clusterDns, clusterDomain, node } = this.#options;
    const [nodeIp] = node.ips;
    return { host: hostDns(), clusterDns, clusterDomain, nodeIp };
  }
}
