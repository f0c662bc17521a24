/**
 * All builders of configurations behind one port, made once for a node.
 *
 * @module
 */

import type { ObjectGetter } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { ContainerConfig } from "../../cri/config/mod.ts";
import {
  type ContainerNeeds,
  containerNeeds,
  type ContainerNeedsInput,
} from "./container_needs.ts";
import { buildContainerConfig } from "./container_spec.ts";
import { type NodeDns, podDns, type ResolverConfig } from "./dns.ts";
import { hostsFileContent } from "./hosts_file.ts";
import { mountAbilities, podRuntimeHandler } from "./runtime_handler.ts";
import type { GivenByBuilder, SpecBuilder } from "./ports.ts";
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
  /** Where the ConfigMaps and Secrets that variables name are found. */
  readonly objects: ObjectGetter;
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
  ): ReturnType<SpecBuilder["sandbox"]> {
    const { node, podLogsDir, clusterDomain } = this.#options;
    const { config: dns, warnings } = podDns(input.pod, this.#nodeDns());
    try {
      const runtimeHandler = podRuntimeHandler(input.pod, node);
      const config = buildSandboxConfig({
        ...input,
        node,
        podLogsDir,
        clusterDomain,
        dns,
      });
      return { kind: "ok", config, warnings, runtimeHandler };
    } catch (error) {
      if (!(error instanceof SpecRefusal)) throw error;
      const { reason, message } = error;
      return { kind: "refused", reason, message };
    }
  }

  needs(
    input: Omit<ContainerNeedsInput, GivenByBuilder>,
  ): SpecResult<ContainerNeeds> {
    return containerNeeds({ ...input, ...this.#given(input.pod) });
  }

  container(
    input: Omit<ContainerSpecInput, GivenByBuilder>,
  ): SpecResult<ContainerConfig> {
    return buildContainerConfig({ ...input, ...this.#given(input.pod) });
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

  #given(pod: Pod): Pick<ContainerSpecInput, GivenByBuilder> {
    const { node, objects } = this.#options;
    const { runtimeClassName: name = "" } = pod.spec;
    const handler = node.runtimeClass?.(name)?.handler ?? name;
    const abilities = mountAbilities(node.runtime?.(), handler);
    return { node, objects, abilities };
  }

  #nodeDns(): NodeDns {
    const { hostDns, clusterDns, clusterDomain, node } = this.#options;
    const [nodeIp] = node.ips;
    return { host: hostDns(), clusterDns, clusterDomain, nodeIp };
  }
}
