/**
 * All builders of configurations, made once for a node.
 *
 * @module
 */

import {
  isOfCluster,
  type PodObjects,
  serviceHostLines,
  type ServiceTarget,
} from "../../pod/inputs/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { ContainerConfig, SandboxConfig } from "../../cri/config/mod.ts";
import { buildContainerConfig } from "./container_spec.ts";
import { type DnsWarning, podDns, type ResolverConfig } from "./dns.ts";
import { containerEnvironment } from "./environment.ts";
import { hostsFileContent } from "./hosts_file.ts";
import {
  type WantedImage,
  wantedImages,
  type WantedSubPath,
  wantedSubPaths,
} from "./mount_spec.ts";
import { mountAbilities, podRuntimeHandler } from "./runtime_handler.ts";
import { buildSandboxConfig, podHostname } from "./sandbox_spec.ts";
import type {
  ContainerSpecInput,
  Environment,
  SandboxSpecInput,
  SpecNode,
  SpecResult,
} from "./spec_input.ts";
import { SpecRefusal, specResult } from "./spec_refusal.ts";

/** What the configurations of all pods of a node have in common. */
export interface SpecBuilderOptions {
  readonly node: SpecNode;
  /** Where the ConfigMaps and Secrets that variables name are found. */
  readonly objects: PodObjects;
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
  /** The Services that have a pod now, asked for each container; none if absent. */
  readonly services?: (pod: Pod) => readonly ServiceTarget[];
  /** Whether their names stand in hosts files. */
  readonly hostsOfServices?: boolean;
}

/** What is to be found or fetched for a container, and the variables that say where. */
export interface ContainerNeeds {
  readonly environment: Environment;
  readonly subPaths: readonly WantedSubPath[];
  readonly images: readonly WantedImage[];
}

/** What the builder knows of the node itself, so that callers leave it out. */
type GivenByBuilder = "node" | "objects" | "services" | "abilities";

/** The name that clusters have unless they are told another. */
const USUAL_DOMAIN = "cluster.local";

/** Turns pods of one node into what the runtime is asked for. Pure but for its options. */
export class SpecBuilder {
  readonly #options: SpecBuilderOptions;

  constructor(options: SpecBuilderOptions) {
    this.#options = options;
  }

  /** The node's own addresses, primary first: those of a pod on its network. */
  get nodeIps(): readonly string[] {
    return this.#options.node.ips;
  }

  /** The sandbox's configuration, and the warnings for the pod's owner. */
  sandbox(
    input: Pick<SandboxSpecInput, "pod" | "attempt">,
  ): SpecResult<SandboxConfig, SpecRefusal["reason"]> & {
    readonly warnings?: readonly DnsWarning[];
    /** The runtime's handler for the pod; empty or absent for its default. */
    readonly runtimeHandler?: string;
  } {
    const { node, podLogsDir, clusterDomain, hostDns } = this.#options;
    const [nodeIp] = node.ips;
    const nodeDns = { ...this.#options, host: hostDns(), nodeIp };
    const { config: dns, warnings } = podDns(input.pod, nodeDns);
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

  /**
   * Says what has to be done on the node before the container's configuration can be
   * built. Its variables come first: paths may be made of them.
   */
  needs(
    input: Pick<
      ContainerSpecInput,
      "pod" | "container" | "podIps" | "volumes" | "keyFiles"
    >,
  ): SpecResult<ContainerNeeds> {
    const { pod, container, volumes } = input;
    const given = this.#given(pod);
    return specResult(() => {
      const environment = containerEnvironment({ ...input, ...given });
      return {
        environment,
        subPaths: wantedSubPaths(container, { volumes, environment }),
        images: wantedImages(pod, container, given.abilities),
      };
    });
  }

  /** The container's configuration; `input` may have what its needs have come to. */
  container(
    input: Omit<ContainerSpecInput, GivenByBuilder>,
  ): SpecResult<ContainerConfig> {
    return buildContainerConfig({ ...input, ...this.#given(input.pod) });
  }

  /**
   * The content of the pod's `/etc/hosts`.
   *
   * @throws {SpecRefusal} for a pod whose sandbox was refused for its name
   */
  hostsFile(pod: Pod, podIps: readonly string[]): string {
    const { clusterDomain, nodeHostsFile, hostsOfServices } = this.#options;
    const { namespace } = pod.metadata;
    // A cluster has a DNS server for it.
    const serviceLines = hostsOfServices === true && !isOfCluster(pod)
      ? serviceHostLines(this.#services(pod), {
        namespace,
        clusterDomain: clusterDomain || USUAL_DOMAIN,
      })
      : [];
    return hostsFileContent({
      pod,
      podIps,
      serviceLines,
      nodeHostsFile: pod.spec.hostNetwork === true ? nodeHostsFile() : "",
      ...podHostname(pod, clusterDomain),
    });
  }

  #given(pod: Pod): Pick<ContainerSpecInput, GivenByBuilder> {
    const { node } = this.#options;
    const objects = this.#options.objects.seenBy(pod);
    const { runtimeClassName: name = "" } = pod.spec;
    const handler = objects.runtimeClass(name)?.handler ?? name;
    const abilities = mountAbilities(node.runtime(), handler);
    return { node, objects, services: this.#services(pod), abilities };
  }

  #services(pod: Pod): readonly ServiceTarget[] {
    return this.#options.services?.(pod) ?? [];
  }
}
