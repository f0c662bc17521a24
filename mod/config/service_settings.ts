/**
 * The settings about the service manager that starts the agent.
 *
 * @module
 */

import { formatDuration } from "../base/text/mod.ts";
import type { Settings } from "./agent_config.ts";
import { durationMs, givenPath, path } from "./decoders.ts";
import { field, flag, type Rows } from "./setting.ts";

/** Their rows in the table of settings. */
export const SERVICE_ROWS: Rows<Settings["service"]> = {
  notifySocket: {
    flag: flag("notify-socket PATH", givenPath),
    help:
      "the service manager's socket for readiness and signs\nof life (systemd: /run/systemd/notify; default none)",
    skerry: field("notifySocket", path),
    access: "write",
    net: "notify_socket",
  },
  watchdogMs: {
    flag: flag("watchdog-timeout DURATION", durationMs),
    help:
      "without a sign of life for so long, the service\nmanager restarts the agent (default {default})",
    write: formatDuration,
    skerry: field("watchdogTimeout", durationMs),
    fallback: 180_000,
    // A busy disk or a machine that swaps may hold up the agent for seconds.
    leastMs: 10_000,
  },
};
