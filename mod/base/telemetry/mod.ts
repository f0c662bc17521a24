/**
 * The agent's log and its metrics. A logger and a registry are given to each part, never imported; a log line is a constant message with fields, and a metric keeps a bounded number of label sets.
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
