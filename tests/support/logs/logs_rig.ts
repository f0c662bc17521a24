/**
 * A rotator over logs in memory.
 *
 * @module
 */

import type { PodEvent } from "../../../mod/api/types/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import {
  LogKeeper,
  type LogKeeperOptions,
  type RunningLog,
} from "../../../mod/logs/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { linesTo } from "../log_lines.ts";
import { LOG, MemoryLogs, ROOT } from "./memory_logs.ts";

const INTERVAL_MS = 10_000;

/** A rotator that works from the start; its log is full with ten lines. */
export class LogsRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly log: string[] = [];
  readonly events: PodEvent[] = [];
  readonly logs: MemoryLogs;
  /** The logs of the containers that run. */
  running: readonly RunningLog[] = [LOG];
  readonly #stop = new AbortController();
  readonly #work: Promise<void>;

  constructor(
    { logs = new MemoryLogs(), ...options }:
      & { readonly logs?: MemoryLogs }
      & Partial<LogKeeperOptions> = {},
  ) {
    this.logs = logs;
    const { clock, metrics } = this;
    const keeper = new LogKeeper({
      clock,
      metrics,
      log: linesTo(this.log, { clock, level: "debug" }),
      events: { record: (_pod, event) => this.events.push(event) },
      runtime: logs,
      files: logs,
      running: () => this.running,
      collector: { add: () => {}, has: () => false },
      owns: () => true,
      isKnown: () => true,
    }, {
      podLogsDir: ROOT,
      maxSizeBytes: 100,
      maxFiles: 5,
      maxWorkers: 1,
      monitorIntervalMs: INTERVAL_MS,
      budgetBytes: undefined,
      ...options,
    });
    this.#work = keeper.run(this.#stop.signal).catch(() => {});
  }

  /** Lets so many intervals pass. */
  async interval(count = 1): Promise<void> {
    await this.clock.advance(count * INTERVAL_MS);
  }

  metric(name: string): number {
    const line = this.metrics.render().split("\n")
      .find((line) => line.startsWith(`${name} `));
    return Number(line?.split(" ").at(-1));
  }

  /** The messages of warnings. */
  get warnings(): string[] {
    return this.messages("warn");
  }

  /** The messages of one level. */
  messages(wanted: "debug" | "warn"): string[] {
    return this.log.flatMap((line) => {
      const { level, msg, message = msg } = JSON.parse(line);
      return level === wanted ? [String(message)] : [];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new DOMException("Over", "AbortError"));
    await this.#work;
  }
}
