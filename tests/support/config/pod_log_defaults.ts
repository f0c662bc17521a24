/**
 * What holds for the logs of containers unless it is said otherwise.
 *
 * @module
 */

import type { AgentConfig } from "../../../mod/config/mod.ts";

/** The kubelet's defaults. */
export const POD_LOG_DEFAULTS: AgentConfig["podLogs"] = {
  maxSizeBytes: 10 * 1024 * 1024,
  maxFiles: 5,
  maxWorkers: 1,
  monitorIntervalMs: 10_000,
  budgetBytes: undefined,
};
