/**
 * What the node and its pods use.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { NetworkStats } from "../cri/model/mod.ts";
import { type Clock, deadline } from "../base/mod.ts";
import { isTerminalPhase } from "../pod/status/mod.ts";
import type { NodeStats } from "../server/mod.ts";
import type { ViewedCore } from "./ports.ts";

/**
 * Measures it, or gives what was measured a moment ago.
 *
 * @throws {CriError} When the runtime does not say.
 */
export async function viewStats(
  what: "memory" | "all",
  { core: { meters, connection }, pods, clock, nodeName }: {
    readonly core: Pick<ViewedCore, "meters" | "connection">;
    readonly pods: readonly Pod[];
    readonly clock: Clock;
    readonly nodeName: string;
  },
): Promise<NodeStats> {
  // One that has ended uses no memory, but its logs may be large.
  const wanted = what === "all"
    ? pods
    : pods.filter(({ status }) => !isTerminalPhase(status?.phase));
  // Nobody ends it: others may wait for the same answer.
  const { signal } = new AbortController();
  const uses = await meters.pods.measure(wanted, { what, signal });
  // Upstream too: who asks for processors and memory alone is told of neither.
  const [images, networks] = what === "all"
    ? await Promise.all([
      imagesOf(connection),
      networksOf(connection, clock),
    ])
    : [];
  return {
    nodeName,
    atMs: clock.now(),
    node: await meters.node.measure(),
    images,
    networks,
    pods: wanted.flatMap((pod) => {
      const use = uses.get(pod.metadata.uid);
      return use === undefined ? [] : [{ pod, use }];
    }),
  };
}

/** The runtime looks into each network; who waits for all the rest has little patience. */
const NETWORKS_LIMIT_MS = 10_000;

/** Of several sandboxes of a pod the one that was measured last. */
async function networksOf(
  { runtime }: ViewedCore["connection"],
  clock: Clock,
): Promise<NodeStats["networks"]> {
  using limit = deadline(clock, NETWORKS_LIMIT_MS);
  try {
    const newest = new Map<string, NetworkStats>();
    for (const each of await runtime.listNetworkStats(limit)) {
      const { atNanos = -1n } = newest.get(each.podUid) ?? {};
      if (each.atNanos > atNanos) newest.set(each.podUid, each);
    }
    return newest;
  } catch {
    // Not every runtime has this call, and the rest says enough.
    return undefined;
  }
}

async function imagesOf(
  { images }: ViewedCore["connection"],
): Promise<NodeStats["images"]> {
  try {
    return await images.imageFsInfo();
  } catch {
    // The rest says enough.
    return undefined;
  }
}
