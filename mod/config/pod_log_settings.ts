/**
 * The rows of the table of settings for the logs of containers.
 *
 * @module
 */

import type { Settings } from "./agent_config.ts";
import { durationMs, integer, orEmpty } from "./decoders.ts";
import { field, flag, pointer, type Rows } from "./setting.ts";
import { byteSize, logSize } from "./size_decoders.ts";

/** When logs are rotated, and how much of them stays. */
export const POD_LOG_ROWS: Rows<Settings["podLogs"]> = {
  maxSizeBytes: {
    kubelet: field("containerLogMaxSize", orEmpty(logSize)),
    fallback: 10 * 1024 * 1024,
  },
  maxFiles: {
    // Upstream's bound: the one that is written to, and one before it.
    kubelet: pointer("containerLogMaxFiles", integer(2)),
    fallback: 5,
  },
  maxWorkers: {
    kubelet: pointer("containerLogMaxWorkers", integer(1)),
    fallback: 1,
  },
  monitorIntervalMs: {
    kubelet: pointer("containerLogMonitorInterval", durationMs),
    fallback: 10_000,
    // Upstream's bound.
    leastMs: 3_000,
  },
  budgetBytes: {
    flag: flag("pod-logs-budget SIZE", byteSize),
    help:
      "what the logs of all pods may take together, such as\n500Mi (default no bound)",
    skerry: field("podLogsBudget", orEmpty(byteSize)),
  },
};

/** What is wrong with the rows together. */
export function podLogFaults(
  { budgetBytes, maxSizeBytes }: Settings["podLogs"],
): string[] {
  if (budgetBytes === undefined) return [];
  if (maxSizeBytes === Infinity) {
    return [
      "Cannot use --pod-logs-budget: found containerLogMaxSize negative, wanted a size, since only rotated logs are removed",
    ];
  }
  return budgetBytes >= maxSizeBytes ? [] : [
    `Cannot use --pod-logs-budget: found ${budgetBytes} bytes, wanted at least containerLogMaxSize, which is ${maxSizeBytes} bytes`,
  ];
}
