/**
 * Keeps the logs of all pods together within what they may take.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type {
  Counter,
  Gauge,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import type { EventSink, PodRef } from "../api/types/mod.ts";
import type { LogCompressor } from "./log_compressor.ts";
import { directoryOf, type LogFiles } from "./log_files.ts";
import { compressedName } from "./log_names.ts";
import { type LogMeter, measureLogs } from "./measure_logs.ts";
import { planBudget, type SpareLog } from "./plan_budget.ts";

/** Between two looks at least this many times as long as the last one took. */
const PAUSE_TIMES = 9;

/** A look that took very long had to wait for a sick disk. */
const LONGEST_PAUSE_MS = 600_000;

/** How much logs may take. */
export interface BudgetOptions {
  /** The directory of all logs. */
  readonly podLogsDir: string;
  /** `undefined` sets no bound, and then nothing is measured. */
  readonly budgetBytes: number | undefined;
  readonly monitorIntervalMs: number;
}

interface BudgetDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly files: LogFiles;
  readonly meter: LogMeter;
  readonly compressor: Pick<LogCompressor, "release">;
  /** Whether a pod is this agent's; the logs of others do not count. */
  readonly owns: (uid: string) => boolean;
}

/**
 * Measures the logs of the agent's own pods, and removes rotated files: always the oldest one
 * of the pod whose logs take most. The files that are written to stay.
 */
export class LogBudget {
  readonly #deps: BudgetDeps;
  readonly #options: BudgetOptions;
  readonly #size: Gauge;
  readonly #removed: Counter;
  /** Whether the last look ended above the budget, which is said once. */
  #isOver = false;
  #isFailing = false;
  /** The paths of files that could not be removed lately: others go in their place. */
  #stuck: ReadonlySet<string> = new Set();

  constructor(deps: BudgetDeps, options: BudgetOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#size = deps.metrics.gauge(
      "skerry_pod_logs_bytes",
      "What the logs of the agent's pods take on the disk; measured only with a budget",
    );
    this.#removed = deps.metrics.counter(
      "skerry_log_budget_removed_total",
      "Rotated logs that were removed because all logs together took too much",
    );
  }

  /**
   * Works until `signal` aborts.
   *
   * @throws {unknown} Its reason.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const { budgetBytes, monitorIntervalMs } = this.#options;
    let pauseMs = budgetBytes === undefined ? Infinity : monitorIntervalMs;
    for (;;) {
      await clock.sleep(pauseMs, signal);
      const beganMs = clock.monotonic();
      try {
        const isWhole = await this.#keep(budgetBytes ?? Infinity, signal);
        if (isWhole) this.#isFailing = false;
      } catch (error) {
        signal.throwIfAborted();
        const level = this.#isFailing ? "debug" : "warn";
        this.#deps.log[level]("log_budget_not_kept", { error });
        this.#isFailing = true;
      }
      // There may be very many files.
      const tookMs = clock.monotonic() - beganMs;
      const restMs = Math.min(tookMs * PAUSE_TIMES, LONGEST_PAUSE_MS);
      pauseMs = Math.max(monitorIntervalMs, restMs);
    }
  }

  /** @returns false when files were passed over, of which the next look knows more */
  async #keep(budgetBytes: number, signal: AbortSignal): Promise<boolean> {
    const { podLogsDir: root } = this.#options;
    const { owns, meter, log } = this.#deps;
    const measured = await measureLogs(root, owns, meter);
    const usages = measured.usages.map(({ spare, ...usage }) => ({
      ...usage,
      spare: spare.filter((each) => !this.#stuck.has(this.#pathOf(each))),
    }));
    const failures = [...measured.failures];
    const plan = planBudget(usages, budgetBytes);
    let { leftBytes } = plan;
    const told = new Set<string>();
    const stuck = new Set<string>();
    for (const spare of plan.remove) {
      signal.throwIfAborted();
      try {
        await this.#remove(spare);
      } catch (error) {
        failures.push(error);
        stuck.add(this.#pathOf(spare));
        leftBytes += spare.bytes;
        continue;
      }
      if (!told.has(spare.uid)) this.#tell(spare);
      told.add(spare.uid);
    }
    const isWhole = this.#stuck.size === 0;
    this.#stuck = stuck;
    this.#size.set(leftBytes);
    if (failures.length > 0) {
      throw new AggregateError(failures, "Some logs could not be looked after");
    }
    if (!isWhole) return false;
    const isOver = leftBytes > budgetBytes;
    if (isOver && !this.#isOver) {
      const note = "no rotated log is left; those that are written to stay";
      log.warn("pod_logs_over_budget", { leftBytes, budgetBytes, note });
    }
    this.#isOver = isOver;
    return true;
  }

  #pathOf({ place }: SpareLog): string {
    return `${directoryOf(this.#options.podLogsDir, place)}/${place.file}`;
  }

  async #remove(spare: SpareLog): Promise<void> {
    const { podLogsDir: root } = this.#options;
    const { place } = spare;
    const { files, compressor } = this.#deps;
    const fault = await files.wayFault(root, place);
    if (fault !== undefined) throw new Error(fault);
    const path = this.#pathOf(spare);
    await compressor.release(path);
    await files.remove(path);
    // It may have been compressed meanwhile.
    await files.remove(compressedName(path));
    this.#removed.inc();
  }

  #tell({ uid, place }: SpareLog & { readonly uid: string }): void {
    const [namespace = "", name = ""] = place.podDirectory.split("_");
    const pod: PodRef = { namespace, name, uid };
    this.#deps.events.record(pod, {
      type: "Warning",
      reason: "LogsRemoved",
      message:
        "Removed its oldest rotated logs: the logs of all pods take more than --pod-logs-budget",
    });
  }
}
