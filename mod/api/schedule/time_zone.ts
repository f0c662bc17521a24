/**
 * How far the clocks of a time zone are ahead.
 *
 * @module
 */

/** Whether there is a time zone of that name. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 are zones to this platform and none of the data base.
  if (name.length > MAX_NAME || !/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    // A RangeError; there is no other way to ask.
    return false;
  }
}

/** The longest has 32 letters. */
const MAX_NAME = 64;

/**
 * By how many milliseconds the clocks of a zone are ahead of UTC at some moment.
 *
 * @throws {RangeError} When there is no such zone.
 */
export function offsetAt(ms: number, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  const parts = new Map(
    formatOf(timeZone).formatToParts(ms).map(({ type, value }) =>
      [type, Number(value)] as const
    ),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number =>
    parts.get(type) ?? 0;
  const shownMs = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return shownMs - Math.floor(ms / 1000) * 1000;
}

/** They are expensive to make, and a node has CronJobs of a few zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "iso8601",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size >= MOST_FORMATS) formats.clear();
  formats.set(timeZone, made);
  return made;
}

const MOST_FORMATS = 32;
