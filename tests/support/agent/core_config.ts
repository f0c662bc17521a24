/**
 * The settings of an agent in a temporary directory.
 *
 * @module
 */

import {
  type AgentConfig,
  parseRunArguments,
} from "../../../mod/config/mod.ts";

/** The node's name. */
export const NODE = "edge1";

/** What may differ from the usual settings. */
export interface CoreConfigOptions {
  /** @default 120_000 */
  readonly requestTimeoutMs?: number;
  /** @default 1_000 */
  readonly relistPeriodMs?: number;
  /** @default "192.0.2.1", which nobody has */
  readonly nodeIp?: string;
  /** More lines of the KubeletConfiguration, such as `maxPods: 2`. */
  readonly kubelet?: readonly string[];
  /** More flags, such as `--node-labels=disk=ssd`. */
  readonly flags?: readonly string[];
}

/** Settings of an agent whose every path lies in `directory`. */
export async function coreConfig(
  directory: string,
  options: CoreConfigOptions,
): Promise<AgentConfig> {
  const { requestTimeoutMs = 120_000, relistPeriodMs = 1_000 } = options;
  const { nodeIp = "192.0.2.1" } = options;
  const path = `${directory}/config.yaml`;
  const lines = [
    "apiVersion: kubelet.config.k8s.io/v1beta1",
    "kind: KubeletConfiguration",
    `runtimeRequestTimeout: ${requestTimeoutMs}ms`,
    ...options.kubelet ?? [],
    "---",
    "apiVersion: skerry.dev/v1alpha1",
    "kind: SkerryConfiguration",
    `relistPeriod: ${relistPeriodMs}ms`,
  ];
  await Deno.writeTextFile(path, lines.join("\n"));
  const parsed = await parseRunArguments([
    `--config=${path}`,
    `--root-dir=${directory}/root`,
    `--run-dir=${directory}/run`,
    `--pod-manifest-path=${directory}/manifests`,
    `--pod-logs-dir=${directory}/logs`,
    `--container-runtime-endpoint=unix://${directory}/cri.sock`,
    `--hostname-override=${NODE}`,
    `--node-ip=${nodeIp}`,
    "--pod-network=10.88.0.0/16",
    "--healthz-port=0",
    ...options.flags ?? [],
  ], {
    cwd: () => directory,
    hostname: () => NODE,
    readTextFile: (file) => Deno.readTextFile(file),
  });
  if (parsed.kind === "ok") return parsed.config;
  throw new Error(parsed.faults.join("\n"));
}
