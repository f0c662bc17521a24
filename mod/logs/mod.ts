/**
 * The logs of containers, which the runtime writes and this agent keeps small.
 *
 * A log that has grown to its size is renamed, and the runtime begins a new one. No line is
 * lost: until the runtime has begun the new file it writes to the renamed one, and what a crash
 * leaves undone is done by the next agent. All rotated files but the newest are compressed, as
 * long as there is time and room for it. With a budget for all logs the oldest rotated files of the
 * pod that logs most are removed. Directories of pods that nobody knows go after a day, and
 * nothing behind a link or a mount with them. Nothing is written, and the runtime is asked nothing,
 * while no log is large. No link below the directory of all logs is followed.
 *
 * @example The files of a log, in the order in which they were written
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { readLogNames } from "./mod.ts";
 *
 * const { rotated } = readLogNames([
 *   "0.log",
 *   "0.log.20260102-030506",
 *   "0.log.20260102-030405.gz",
 * ], "0.log");
 * deepStrictEqual(rotated.map(({ stamp }) => stamp), [
 *   "20260102-030405",
 *   "20260102-030506",
 * ]);
 * ```
 *
 * @module
 */

export { diskMeter } from "./disk_meter.ts";
export { diskLogFiles, type LogFiles, type LogLook } from "./log_files.ts";
export { LogKeeper, type LogKeeperOptions } from "./log_keeper.ts";
export { type LogParts, readLogNames, type RotatedLog } from "./log_names.ts";
export type { LogPlace, LogRuntime, RunningLog } from "./ports.ts";
