/**
 * What a cluster is told that pods may have of the node. Pure.
 *
 * @module
 */

import type { Quantity } from "../../api/objects/mod.ts";
import type { PressureSignal, Threshold } from "../../pressure/mod.ts";

/** Which amount a shortage of is acted on below a threshold. */
const KEPT_FREE: Partial<Record<PressureSignal, string>> = {
  "memory.available": "memory",
  "nodefs.available": "ephemeral-storage",
};

/** What the amounts depend on. */
export interface NodeAmounts {
  readonly capacity: ReadonlyMap<string, Quantity>;
  /** Without what is reserved for others than pods. */
  readonly allocatable: ReadonlyMap<string, Quantity>;
  readonly thresholds: readonly Threshold[];
}

/**
 * What a scheduler may give away: of what is not reserved that which is above the hard
 * thresholds, since a node that is filled beyond them evicts what it was given. Memory of
 * huge pages is not there for others.
 *
 * Upstream: pkg/kubelet/cm GetNodeAllocatableReservation and nodestatus MachineInfo.
 */
export function schedulableAmounts(
  { capacity, allocatable, thresholds }: NodeAmounts,
): ReadonlyMap<string, Quantity> {
  const left = new Map(allocatable);
  const take = (name: string, nano: bigint): void => {
    const amount = left.get(name);
    if (amount === undefined) return;
    const rest = amount.nano - nano;
    left.set(name, { ...amount, nano: rest > 0n ? rest : 0n });
  };
  for (const { signal, kind, least } of thresholds) {
    const name = KEPT_FREE[signal];
    if (kind !== "hard" || name === undefined) continue;
    const whole = capacity.get(name)?.nano ?? 0n;
    take(
      name,
      least.kind === "part" ? partOf(whole, least.value) : nanoOf(least.value),
    );
  }
  for (const [name, { nano }] of capacity) {
    if (name.startsWith("hugepages-")) take("memory", nano);
  }
  return left;
}

/** Whole bytes, as upstream's int64. */
function partOf(whole: bigint, part: number): bigint {
  return nanoOf(Number(whole / NANO) * part);
}

function nanoOf(bytes: number): bigint {
  return BigInt(Math.trunc(bytes)) * NANO;
}

const NANO = 1_000_000_000n;
