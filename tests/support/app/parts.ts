/**
 * Parts of the agent's process that are seen at work on a machine only.
 *
 * @module
 */

import { buildMeters, type Meters } from "../../../mod/app/build_pressure.ts";
import { admissionNode } from "../../../mod/app/gather_node_facts.ts";
import { imageCredentials } from "../../../mod/app/image_logins.ts";
import { NodeFiles } from "../../../mod/app/node_files.ts";
import { nodeIps } from "../../../mod/app/node_ips.ts";
import type { Clock } from "../../../mod/base/mod.ts";
import type { CriConnection } from "../../../mod/cri/mod.ts";
import type { Machine } from "../../../mod/usage/mod.ts";
import type { AgentConfig } from "../../../mod/config/mod.ts";
import type { CredentialFinder } from "../../../mod/runtime/credentials/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { objectGetter } from "../keyed_objects.ts";
import { linesTo } from "../log_lines.ts";

/** The node's resolver and hosts files. */
export function nodeFilesOf(
  resolvConf: string | undefined,
  clock: Clock,
): NodeFiles {
  return new NodeFiles(resolvConf, { clock });
}

/** The addresses of the node that the agent may connect to. */
export function reachableIps(config: AgentConfig): readonly string[] {
  const clock = new FakeClock();
  return nodeIps(config, { clock, log: linesTo([]) }).reachable;
}

/** The labels by which pods choose the node, and its taints. */
export function nodeLabels(
  config: AgentConfig,
  known?: Parameters<typeof admissionNode>[1]["known"],
): Pick<ReturnType<typeof admissionNode>, "labels" | "taints"> {
  const offered = { allocatable: new Map(), known };
  const { labels, taints = [] } = admissionNode(config, offered);
  return { labels, taints };
}

/** The logins of the node, as settings name them. */
export function nodeLogins(
  config: AgentConfig,
  clock: Clock,
): CredentialFinder {
  return imageCredentials(config, { clock, objects: objectGetter([]) });
}

/** What measures a node without pods. */
export function metersOf(
  config: AgentConfig,
  given: {
    readonly machine: Machine;
    readonly imageFsInfo: CriConnection["images"]["imageFsInfo"];
  },
): Promise<Meters> {
  const { machine, imageFsInfo } = given;
  return buildMeters(config, {
    machine,
    clock: new FakeClock(),
    connection: {
      images: { imageFsInfo },
      runtime: { listContainerStats: () => Promise.resolve([]) },
    },
    volumes: { usage: () => Promise.resolve(new Map()) },
    resources: {
      memoryLeft: () => Promise.resolve(undefined),
      processes: () => Promise.resolve(undefined),
      stalls: () => Promise.resolve(undefined),
    },
  });
}
