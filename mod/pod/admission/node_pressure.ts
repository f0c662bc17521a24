/**
 * Whether a node that runs short takes a pod.
 *
 * @module
 */

import type { Pod, PodSpec } from "../../api/types/mod.ts";
import { isCriticalPod } from "../../api/vocabulary/mod.ts";
import { qosClass } from "../resources/mod.ts";

/** The conditions of a node that runs short, as upstream names them and in its order. */
export const NODE_PRESSURES = [
  "MemoryPressure",
  "DiskPressure",
  "PIDPressure",
] as const;

/** One of them. */
export type NodePressure = typeof NODE_PRESSURES[number];

/** The reason of a refusal; upstream's is that of an eviction, too. */
export const PRESSURE_REASON = "Evicted";

const MEMORY_TAINT = "node.kubernetes.io/memory-pressure";

/**
 * Whether the node's conditions keep it from taking a pod (kubelet: eviction manager's
 * Admit). A critical pod is always taken. Where only memory is short, so is one that asks for
 * memory, or tolerates the shortage.
 */
export function isRefusedForPressure(
  pod: Pod,
  pressures: readonly NodePressure[],
): boolean {
  if (pressures.length === 0 || isCriticalPod(pod)) return false;
  if (pressures.some((each) => each !== "MemoryPressure")) return true;
  return qosClass(pod) === "BestEffort" &&
    !(pod.spec.tolerations ?? []).some(toleratesMemoryPressure);
}

/** Upstream: TolerationsTolerateTaint of a taint without a value. */
function toleratesMemoryPressure(
  { key = "", operator = "Equal", value = "", effect = "" }: NonNullable<
    PodSpec["tolerations"]
  >[number],
): boolean {
  if (effect !== "" && effect !== "NoSchedule") return false;
  if (key !== MEMORY_TAINT && key !== "") return false;
  return operator === "Exists" || key !== "" && value === "";
}
