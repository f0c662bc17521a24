/**
 * Taking up a configuration that has changed, without a restart.
 *
 * @module
 */

import type { Logger } from "../base/telemetry/mod.ts";
import {
  type AgentConfig,
  changesAtRestart,
  type LiveConfig,
  liveConfig,
  type RunArguments,
} from "../config/mod.ts";

/** Where requests to reload come from, and what the configuration is then. */
export interface ReloadSource {
  /** Waits until somebody asks. */
  requested(signal: AbortSignal): Promise<void>;
  read(): Promise<RunArguments>;
}

interface ReloaderDeps {
  readonly log: Logger;
  readonly source: ReloadSource;
  readonly apply: (live: LiveConfig) => void;
}

/**
 * Reads flags and file again when it is asked to. What can change while the agent runs
 * counts at once; the rest is named. A configuration with a fault changes nothing.
 */
export class ConfigReloader {
  readonly #deps: ReloaderDeps;
  readonly #started: AgentConfig;

  /** @param started what the agent was started with */
  constructor(deps: ReloaderDeps, started: AgentConfig) {
    this.#deps = deps;
    this.#started = started;
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { source, log } = this.#deps;
    for (;;) {
      await source.requested(signal);
      try {
        this.#take(await source.read());
      } catch (error) {
        log.error("config_not_reloaded", { error });
      }
    }
  }

  #take(read: RunArguments): void {
    const { log, apply } = this.#deps;
    if (read.kind === "refused") {
      const note = "the configuration from before stays in force";
      return log.error("config_not_reloaded", { faults: read.faults, note });
    }
    const live = liveConfig(read.config);
    apply(live);
    const settings = changesAtRestart(this.#started, read.config);
    if (settings.length > 0) log.warn("config_needs_restart", { settings });
    log.info("config_reloaded", { ...live });
  }
}
