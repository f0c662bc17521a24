/**
 * The rows of the table of settings for the logs of containers.
 *
 * @module
 */

import type { Settings } from "./agent_config.ts";
import { durationMs, integer, logSize, orEmpty } from "./decoders.ts";
import { field, pointer, type Rows } from "./setting.ts";

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
};
