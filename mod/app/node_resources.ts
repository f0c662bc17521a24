/**
 * The node's resources: what there is, and the keeper of what pods get of it.
 *
 * @module
 */

import { formatQuantity, type Quantity } from "../api/objects/mod.ts";
import type { Sessions } from "../base/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { PodRecords } from "../host/files/mod.ts";
import {
  NO_POD_CGROUPS,
  NodePodCgroups,
  type PodCgroups,
  PodResources,
} from "../runtime/resources/mod.ts";
import type { NodeFacts } from "../runtime/spec/mod.ts";
import { NodeCgroupDriver } from "./cgroup_driver.ts";
import type { CoreDeps } from "./core_deps.ts";
import {
  capacityOf,
  type HostFacts,
  nodeFacts,
  readHostFacts,
} from "./gather_node_facts.ts";
import type { NodeIps } from "./node_ips.ts";

interface NodeResourcesDeps
  extends Pick<CoreDeps, "clock" | "log" | "events" | "connection"> {
  readonly ips: NodeIps;
  readonly podRecords: PodRecords;
  readonly sessions: Sessions;
}

/** What the node has, and the keeper of it. */
export interface NodeResources {
  readonly node: NodeFacts;
  /** What there is in all, of which `node` says what pods may have. */
  readonly capacity: ReadonlyMap<string, Quantity>;
  readonly resources: PodResources;
  /** To be asked to learn once the runtime is ready. */
  readonly driver: NodeCgroupDriver;
}

/**
 * Looks at the machine and builds the keeper of pods' resources.
 *
 * @throws {FileError} When what a host view shows cannot be read.
 */
export async function buildNodeResources(
  config: AgentConfig,
  deps: NodeResourcesDeps,
): Promise<NodeResources> {
  const host = await readHostFacts(config);
  const driver = new NodeCgroupDriver(config.node.cgroupDriver, deps);
  const node = nodeFacts(config, { ips: deps.ips, host, driver });
  if (config.node.hostView !== undefined && host.cgroups === undefined) {
    deps.log.named("cgroups").warn("no_cgroups_in_host_view", {
      path: config.node.hostView,
      note: "pods get no limits as a whole",
    });
  }
  const resources = new PodResources({
    runtime: deps.connection.runtime,
    records: deps.podRecords,
    events: deps.events,
    cgroups: podCgroups(config, { ...deps, host, node }),
    node,
    sessions: deps.sessions,
  });
  return { node, capacity: capacityOf(config, host), resources, driver };
}

function podCgroups(
  config: AgentConfig,
  deps: NodeResourcesDeps & {
    readonly host: HostFacts;
    readonly node: NodeFacts;
  },
): PodCgroups {
  const { host, node, clock, log } = deps;
  if (host.cgroups === undefined) return NO_POD_CGROUPS;
  const { podPidsLimit, enforceAllocatable } = config.node;
  const allocatable = Object.fromEntries(
    [...node.allocatable].map(([name, amount]) => [
      name,
      formatQuantity(amount),
    ]),
  );
  return new NodePodCgroups({ tree: host.cgroups, clock, log }, {
    layout: () => node.cgroups,
    pidsLimit: podPidsLimit,
    ...(enforceAllocatable ? { allocatable } : {}),
  });
}
