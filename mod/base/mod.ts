/**
 * What the language lacks: time, chance, logs, metrics, queues and their owners.
 *
 * Knows nothing of pods, runtimes or networks, and needs no permission.
 *
 * @example Work in the background that ends with its block
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { Inbox, TaskGroup } from "./mod.ts";
 *
 * const seen: string[] = [];
 * using inbox = new Inbox<string>(10);
 * await using tasks = new TaskGroup(new AbortController().signal);
 * tasks.start(async () => {
 *   for (const word of ["look", "again"]) await inbox.put(word);
 * });
 * for await (const word of inbox) {
 *   seen.push(word);
 *   if (word === "again") break;
 * }
 * deepStrictEqual(seen, ["look", "again"]);
 * ```
 *
 * @module
 */

export { isAbort } from "./abort.ts";
export { type BackoffOptions, nextDelay } from "./backoff.ts";
export { ByteBuffer } from "./byte_buffer.ts";
export { type Clock, type Deadline, deadline, systemClock } from "./clock.ts";
export { describeError } from "./describe_error.ts";
export { escapeJson } from "./escape_json.ts";
export { formatAge, formatDuration, parseDuration } from "./duration.ts";
export { Inbox } from "./inbox.ts";
export { invariant, InvariantError } from "./invariant.ts";
export {
  createLogger,
  type LogFields,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  silentLogger,
} from "./log.ts";
export {
  type LogSink,
  LogWriter,
  type LogWriterOptions,
} from "./log_writer.ts";
export type { Counter, Gauge, Histogram, MetricLabels } from "./metric.ts";
export {
  type CounterOptions,
  type GaugeOptions,
  type HistogramOptions,
  METRICS_CONTENT_TYPE,
  MetricsRegistry,
} from "./metrics.ts";
export { type Moment, momentOf, wallTimeOf } from "./moment.ts";
export { jitter, type Random, seededRandom, systemRandom } from "./random.ts";
export { Semaphore } from "./semaphore.ts";
export { TaskGroup } from "./task_group.ts";
export { Topic } from "./topic.ts";
export { trimEndOf } from "./trim_end.ts";
export { UNMETERED, type WorkMeter } from "./work_meter.ts";
export { unlessAborted } from "./unless_aborted.ts";
export { type WorkHandler, WorkQueue } from "./work_queue.ts";
