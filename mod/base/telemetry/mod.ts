/**
 * The agent's log and its metrics. A logger and a registry are given to each part, never
 * imported. A log line is a constant message with fields; a metric keeps a bounded number of
 * label sets, so that no input makes it grow.
 *
 * @example A counter and a log line
 * ```ts
 * import { match } from "node:assert/strict";
 * import { systemClock } from "../mod.ts";
 * import { createLogger, MetricsRegistry } from "./mod.ts";
 *
 * const lines: string[] = [];
 * const log = createLogger({
 *   level: "info",
 *   format: "json",
 *   clock: systemClock,
 *   write: (line) => lines.push(line),
 * }).named("pleg");
 * const metrics = new MetricsRegistry();
 * metrics.counter("skerry_lists_total", "Lists of all pods").inc();
 * log.info("listed", { pods: 3 });
 * match(lines[0] ?? "", /"listed".*"pods":3/);
 * match(metrics.render(), /^skerry_lists_total 1$/m);
 * ```
 *
 * @module
 */

export {
  createLogger,
  type LogFields,
  type Logger,
  silentLogger,
} from "./log.ts";
export { LogWriter } from "./log_writer.ts";
export type { Counter, Gauge, Histogram, MetricLabels } from "./metric.ts";
export { METRICS_CONTENT_TYPE, MetricsRegistry } from "./metrics.ts";
