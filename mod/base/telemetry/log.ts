/**
 * One line for each thing worth knowing, for people or for machines.
 *
 * @module
 */

import type { Clock } from "../mod.ts";
import { describeError, escapeJson } from "../text/mod.ts";

/**
 * How much it matters.
 *
 * `error`: someone must act. `warn`: degraded, and will heal. `info`: what an
 * operator asks about the life of a pod. `debug`: every sync.
 */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** How a line is written: one JSON object, or text for a terminal. */
export type LogFormat = "json" | "text";

/**
 * What a message is about. Never secrets: nothing is filtered.
 *
 * Errors are written as the chain of their messages, and long values are cut.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** Takes what happened as a constant snake_case message with fields; see {@linkcode LogLevel}. */
export interface Logger {
  /** The same log under a further name: `log.named("pleg")`. */
  named(name: string): Logger;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** How a logger is made. */
export interface LoggerOptions {
  /** Messages below this level are dropped; asked for each message. */
  readonly level: LogLevel;
  /** How each line is written. */
  readonly format: LogFormat;
  /** Where the time of each line comes from. */
  readonly clock: Clock;
  /** Takes one line, without its line feed; must neither wait nor throw. */
  readonly write: (line: string) => void;
}

/** One line of the log before it is written. */
export interface LogEntry {
  /** Wall clock, in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly level: LogLevel;
  /** The name of the logger; empty at the root. */
  readonly logger: string;
  readonly message: string;
  readonly fields?: LogFields | undefined;
}

const RANK: Readonly<Record<LogLevel, number>> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
};

// Long enough for any message of a runtime, short enough that one value cannot
// fill a log.
const MAX_VALUE_LENGTH = 2048;

// Names that a line has already; a field of that name gets an underscore.
const RESERVED: ReadonlySet<string> = new Set([
  "time",
  "level",
  "logger",
  "message",
]);

/** Makes a logger that writes lines of `format` from `level` upwards. */
export function createLogger(options: LoggerOptions): Logger {
  return loggerOf(options, "");
}

/** A logger that says nothing. */
export const silentLogger: Logger = {
  named: () => silentLogger,
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};

/** Writes an entry as one line, without a line feed. Never throws. */
export function formatLogLine(entry: LogEntry, format: LogFormat): string {
  return format === "json" ? formatJson(entry) : formatText(entry);
}

function loggerOf(options: LoggerOptions, logger: string): Logger {
  const { format, clock, write } = options;
  const log = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (RANK[level] < RANK[options.level]) return;
    const entry = { timeMs: clock.now(), level, logger, message, fields };
    try {
      write(formatLogLine(entry, format));
    } catch {
      // A log that cannot be written must not stop the work that it is about.
    }
  };
  return {
    named: (name) =>
      loggerOf(options, logger === "" ? name : `${logger}.${name}`),
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
  };
}

function formatJson(entry: LogEntry): string {
  return escapeJson(JSON.stringify({
    time: formatTime(entry.timeMs),
    level: entry.level,
    logger: entry.logger,
    message: cut(entry.message),
    ...Object.fromEntries(plainFields(entry.fields)),
  }));
}

function formatText(entry: LogEntry): string {
  const words = [
    formatTime(entry.timeMs),
    entry.level.toUpperCase().padEnd(5),
  ];
  if (entry.logger !== "") words.push(quoteIfNeeded(entry.logger));
  words.push(quoteIfNeeded(cut(entry.message)));
  for (const [name, value] of plainFields(entry.fields)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    // Structures stay readable as they are: JSON on one line.
    const shown = typeof value === "object"
      ? escapeJson(text)
      : quoteIfNeeded(text);
    words.push(`${quoteIfNeeded(name)}=${shown}`);
  }
  return words.join(" ");
}

function formatTime(timeMs: number): string {
  const time = new Date(timeMs);
  return Number.isNaN(time.getTime()) ? "unknown" : time.toISOString();
}

function plainFields(fields: LogFields | undefined): [string, unknown][] {
  const plain: [string, unknown][] = [];
  if (fields === undefined) return plain;
  for (const name of Object.keys(fields)) {
    const value = plainValue(fields, name);
    if (value === undefined) continue;
    plain.push([RESERVED.has(name) ? `${name}_` : name, value]);
  }
  return plain;
}

// A value that JSON.stringify takes without surprise.
function plainValue(fields: LogFields, name: string): unknown {
  try {
    const value = replace("", fields[name]);
    if (typeof value === "string") return cut(value);
    if (typeof value !== "object" || value === null) return value;
    const json = JSON.stringify(value, replace);
    if (json === undefined) return undefined;
    return json.length > MAX_VALUE_LENGTH ? cut(json) : JSON.parse(json);
  } catch (error) {
    // A getter or `toJSON` threw, or the value contains itself.
    return cut(`Cannot be written: ${describeError(error)}`);
  }
}

function replace(_key: string, value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
    case "symbol":
      return value.toString();
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "function":
      return `function ${value.name}`;
    case "object":
      if (value instanceof Error) return describeError(value);
      if (value instanceof Map) return Object.fromEntries(value);
      if (value instanceof Set) return [...value];
      // Bytes as numbers would be long and unreadable.
      if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
      return value;
    default:
      return value;
  }
}

function cut(text: string): string {
  const short = text.length > MAX_VALUE_LENGTH
    ? `${text.slice(0, MAX_VALUE_LENGTH)}…`
    : text;
  return short.toWellFormed();
}

function quoteIfNeeded(text: string): string {
  const isPlain = text !== "" && !/[\s"=]/.test(text);
  // What JSON would escape would break the line or a terminal.
  const json = escapeJson(JSON.stringify(text));
  return isPlain && json === `"${text}"` ? text : json;
}
