/**
 * When CronJobs are due: schedules of five fields, as they are written, and the next time
 * that one means, in any time zone.
 *
 * @example The next quarter of an hour
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { nextAfter, parseSchedule } from "./mod.ts";
 *
 * const schedule = parseSchedule("0/15 9-17 * * mon-fri");
 * const friday = Date.parse("2026-01-02T17:50:00Z");
 * const next = nextAfter(schedule, friday, "Europe/Berlin");
 * strictEqual(next, Date.parse("2026-01-05T08:00:00Z"));
 * ```
 *
 * @module
 */

export { nextAfter } from "./next_after.ts";
export { parseSchedule, type Schedule } from "./parse_schedule.ts";
export { isTimeZone } from "./time_zone.ts";
