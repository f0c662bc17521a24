/**
 * Figures of a pod of several containers.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import type { NodeStats } from "../../../mod/server/mod.ts";
import { nodeStats } from "./node_stats.ts";

const MI = 2 ** 20;

/** The node of two containers, one of them with an odd name, that were measured apart. */
export function pairStats(): NodeStats {
  const base = nodeStats();
  const [first] = base.pods;
  ok(first !== undefined);
  const { pod, use } = first;
  const [of] = use.containers;
  ok(of?.cpu !== undefined && of.memory !== undefined);
  const laterNanos = of.cpu.atNanos + 3_000_000_000n;
  const memory = {
    ...of.memory,
    atNanos: of.memory.atNanos - 2_000_000_000n,
    workingSet: BigInt(MI),
    available: BigInt(2 * MI),
    usage: undefined,
  };
  const other = {
    ...of,
    name: 'b"\\\n',
    cpu: { atNanos: laterNanos, usedNanos: 500_000_000n, nanoCores: undefined },
    memory,
    layer: { bytes: MI, inodes: 1 },
    logs: undefined,
  };
  const left = {
    ...other,
    ...{ name: "left", cpu: undefined, memory: undefined },
    layer: { bytes: 1, inodes: 1 },
  };
  const empty = { ...left, name: "empty", layer: { bytes: 0, inodes: 1 } };
  const init = {
    name: other.name,
    image: "i",
    imageID: "",
    ready: true,
    restartCount: 0,
    state: { running: { startedAt: "2023-11-14T22:13:10Z" } },
  };
  const status = { ...pod.status, initContainerStatuses: [init] };
  const containers = [of, other, left, empty];
  return {
    ...base,
    pods: [{ pod: { ...pod, status }, use: { ...use, containers } }],
  };
}
