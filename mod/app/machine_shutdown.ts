/**
 * Whether the machine goes down when the agent is stopped, and what is done then.
 *
 * @module
 */

import { type Clock, isRecord } from "../base/mod.ts";
import type { Gauge, Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import { nodeRef } from "../api/objects/mod.ts";
import type { EventSink } from "../api/types/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import { readFileBounded, writeFileAtomic } from "../host/files/mod.ts";
import type { ShutdownGroup } from "../pod/lifecycle/mod.ts";
import type { LivingAgent } from "./core_life.ts";

/** The agent's own end, and what may be slow in it. */
const MARGIN_SECONDS = 20;

/** What is kept of a shutdown, in seconds since the epoch; 0 for what did not come. */
interface ShutdownTimes {
  readonly startTime: number;
  readonly endTime: number;
}

const NO_TIMES: ShutdownTimes = { startTime: 0, endTime: 0 };

/** Two numbers. */
const MAX_RECORD_BYTES = 4_096;

interface MachineShutdownDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
}

/**
 * The end of the machine, as far as the agent has a part in it.
 *
 * The sandbox hears nothing of the service manager, so the unit makes a file before it
 * stops the agent. One that lies there when the agent starts is of an earlier shutdown: the
 * run directory need not be on a tmpfs.
 */
export class MachineShutdown {
  readonly #config: AgentConfig;
  readonly #deps: MachineShutdownDeps;
  readonly #started: Gauge;
  readonly #ended: Gauge;
  #groups: readonly ShutdownGroup[];
  #isStale = false;

  constructor(config: AgentConfig, deps: MachineShutdownDeps) {
    this.#config = config;
    this.#groups = config.shutdown.groups;
    this.#deps = { ...deps, log: deps.log.named("shutdown") };
    this.#started = deps.metrics.gauge(
      "kubelet_graceful_shutdown_start_time_seconds",
      "When the last shutdown of the machine began to stop pods",
    );
    this.#ended = deps.metrics.gauge(
      "kubelet_graceful_shutdown_end_time_seconds",
      "When the last shutdown of the machine had stopped pods",
    );
  }

  /** Looks at what an earlier shutdown left. */
  async open(): Promise<void> {
    const { markerPath, recordPath } = this.#config.shutdown;
    try {
      await Deno.remove(markerPath);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) {
        this.#isStale = true;
        this.#deps.log.error("shutdown_marker_stays", { error });
      }
    }
    this.#show(await readTimes(recordPath));
  }

  /** From now on these end one after the other. */
  use(groups: readonly ShutdownGroup[]): void {
    this.#groups = groups;
  }

  /** How long stopping all pods may take, in seconds; `undefined` when they are left alone. */
  async dueSeconds(): Promise<number | undefined> {
    const groups = this.#groups;
    const { markerPath } = this.#config.shutdown;
    if (groups.length === 0 || this.#isStale) return undefined;
    try {
      await Deno.lstat(markerPath);
    } catch {
      return undefined;
    }
    return groups.reduce((sum, { graceSeconds }) => sum + graceSeconds, 0) +
      MARGIN_SECONDS;
  }

  /** Stops all pods; whatever goes wrong, the agent ends. */
  async run({ agent, signal }: LivingAgent): Promise<void> {
    const { clock, events, log } = this.#deps;
    const { node } = this.#config;
    const startTime = Math.floor(clock.now() / 1_000);
    log.info("machine_goes_down");
    events.record(nodeRef(node.name), {
      type: "Normal",
      reason: "Shutdown",
      message: "Shutdown manager detected shutdown event",
    });
    await this.#keep({ startTime, endTime: 0 });
    try {
      await agent.shutDown(this.#groups, signal);
    } catch (error) {
      if (!signal.aborted) log.error("shutdown_failed", { error });
      return;
    }
    await this.#keep({ startTime, endTime: Math.floor(clock.now() / 1_000) });
    log.info("pods_stopped");
  }

  async #keep(times: ShutdownTimes): Promise<void> {
    this.#show(times);
    try {
      const bytes = new TextEncoder().encode(JSON.stringify(times));
      const { recordPath } = this.#config.shutdown;
      await writeFileAtomic(recordPath, bytes, { mode: 0o600 });
    } catch (error) {
      // It is for a metric only.
      this.#deps.log.warn("shutdown_not_recorded", { error });
    }
  }

  #show({ startTime, endTime }: ShutdownTimes): void {
    this.#started.set(startTime);
    this.#ended.set(endTime);
  }
}

async function readTimes(path: string): Promise<ShutdownTimes> {
  try {
    const read = await readFileBounded(path, MAX_RECORD_BYTES);
    if (read.kind !== "read") return NO_TIMES;
    const value: unknown = JSON.parse(new TextDecoder().decode(read.bytes));
    if (!isRecord(value)) return NO_TIMES;
    const { startTime, endTime } = value;
    return typeof startTime === "number" && typeof endTime === "number"
      ? { startTime, endTime }
      : NO_TIMES;
  } catch {
    return NO_TIMES;
  }
}
