/**
 * All that keeps the logs of containers small.
 *
 * @module
 */

import { type Clock, TaskGroup } from "../base/mod.ts";
import type { Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { EventSink } from "../api/types/mod.ts";
import type { GarbageCollector } from "../collect/mod.ts";
import { diskMeter } from "./disk_meter.ts";
import { type BudgetOptions, LogBudget } from "./log_budget.ts";
import { LogCompressor } from "./log_compressor.ts";
import { diskLogFiles, type LogFiles } from "./log_files.ts";
import { LogRotator, type RotationOptions } from "./log_rotator.ts";
import type { LogMeter } from "./measure_logs.ts";
import { OrphanedLogs, type OrphanFiles } from "./orphaned_logs.ts";
import type { LogRuntime, RunningLog } from "./ports.ts";

/** How small logs are kept. */
export type LogKeeperOptions = RotationOptions & BudgetOptions;

interface LogKeeperDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly collector: Pick<GarbageCollector, "add" | "has">;
  readonly runtime: LogRuntime;
  /** The logs of the containers that run now. */
  readonly running: () => Iterable<RunningLog>;
  /** Whether a pod is this agent's. */
  readonly owns: (uid: string) => boolean;
  /**
   * Whether a pod is this agent's, or the runtime lists anything of it, whosever it is;
   * `undefined` while that is not known.
   */
  readonly isKnown: (uid: string) => boolean | undefined;
  /** @default the disk */
  readonly files?: LogFiles;
  /** @default the disk */
  readonly meter?: LogMeter & OrphanFiles;
}

/** Rotates, compresses and removes logs as long as it runs. */
export class LogKeeper {
  readonly #parts: readonly { run(signal: AbortSignal): Promise<void> }[];

  constructor(deps: LogKeeperDeps, options: LogKeeperOptions) {
    const { files = diskLogFiles, meter = diskMeter } = deps;
    const given = { ...deps, log: deps.log.named("logs"), files, meter };
    const compressor = new LogCompressor(given);
    this.#parts = [
      compressor,
      new LogRotator({ ...given, compressor }, options),
      new LogBudget({ ...given, compressor }, options),
      new OrphanedLogs({ ...given, files: meter }, options.podLogsDir),
    ];
  }

  /**
   * Works until `signal` aborts.
   *
   * @throws {unknown} Its reason, or what a part failed with.
   */
  async run(signal: AbortSignal): Promise<void> {
    await using tasks = new TaskGroup(signal);
    await Promise.all(
      this.#parts.map((part) => tasks.start((scope) => part.run(scope))),
    );
    if (tasks.failure !== undefined) throw tasks.failure;
    signal.throwIfAborted();
  }
}
