/**
 * A node's facts for tests and measurements that care about few of them.
 *
 * @module
 */

import type { NodeFacts, SpecNode } from "../../mod/runtime/spec/mod.ts";

/** How cgroups are named on {@linkcode bareNode}. */
export const BARE_CGROUPS: NodeFacts["cgroups"] = {
  driver: "cgroupfs",
  version: 1,
  root: "/",
  perQos: true,
  cpuCfsQuota: true,
  cpuCfsPeriodMs: 100,
  hugePageSizes: [],
  swapAccounting: true,
};

/** A node of 16 GiB with cgroups v1 that tells nothing else but what `facts` says. */
export function bareNode(facts: Partial<SpecNode> = {}): SpecNode {
  return {
    name: "edge1",
    ips: [],
    memoryBytes: 16n << 30n,
    allocatable: new Map(),
    cgroups: BARE_CGROUPS,
    seccompDefault: false,
    seccompProfileRoot: "/nonexistent",
    maskedPaths: [],
    realPath: () => undefined,
    runtime: () => undefined,
    idMapping: () => undefined,
    runtimeClass: () => undefined,
    ...facts,
  };
}
