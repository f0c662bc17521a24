/**
 * Logs that a test reads, as the agent writes them in JSON.
 *
 * @module
 */

import { createLogger, type Logger } from "../../mod/base/telemetry/mod.ts";
import { type Clock, systemClock } from "../../mod/base/mod.ts";

/** What is written, and with which times. */
export interface LogLinesOptions {
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default "info" */
  readonly level?: Parameters<typeof createLogger>[0]["level"];
}

/** A log that puts its lines at the end of a list. */
export function linesTo(
  list: string[],
  options: LogLinesOptions = {},
): Logger {
  return logTo((line) => void list.push(line), options);
}

/** A log that puts the messages of its lines at the end of a list. */
export function messagesTo(
  list: string[],
  options: LogLinesOptions = {},
): Logger {
  return logTo((line) => void list.push(JSON.parse(line).message), options);
}

/** A log that puts all fields of its lines at the end of a list. */
export function fieldsTo(
  list: Record<string, unknown>[],
  options: LogLinesOptions = {},
): Logger {
  return logTo((line) => void list.push(JSON.parse(line)), options);
}

function logTo(
  write: (line: string) => void,
  options: LogLinesOptions,
): Logger {
  const { clock = systemClock, level = "info" } = options;
  return createLogger({ level, format: "json", clock, write });
}
