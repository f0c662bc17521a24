/**
 * The names of the files that the log of one container consists of.
 *
 * @module
 */

/** One file that the log was written to before. */
export interface RotatedLog {
  /** In the directory of the log. */
  readonly name: string;
  /** When it was rotated away, as its name says: `20060102-150405`. */
  readonly stamp: string;
  readonly isCompressed: boolean;
}

/** What lies beside the log of a container and is part of it. */
export interface LogParts {
  /** The oldest first; one that is there plain and compressed counts as plain. */
  readonly rotated: readonly RotatedLog[];
  /** What a compression that did not end has left. */
  readonly useless: readonly string[];
}

const COMPRESSED = ".gz";
const DRAFT = ".tmp";

/** The name under which a rotated file is compressed. */
export function compressedName(name: string): string {
  return `${name}${COMPRESSED}`;
}

/** The name that the compressed file has until it is whole. */
export function draftName(name: string): string {
  return `${name}${DRAFT}`;
}

/**
 * Reads the names in the directory of a log, those of other logs too. Pure.
 *
 * A rotated file that is also there compressed is whole, since it is removed last: the
 * compressed one is made again. What has another name is not part of the log.
 *
 * @param file the name of the file that is written to, such as `0.log`
 */
export function readLogNames(names: readonly string[], file: string): LogParts {
  const plain = new Map<string, RotatedLog>();
  const compressed = new Map<string, RotatedLog>();
  const useless: string[] = [];
  for (const name of names) {
    if (!name.startsWith(`${file}.`)) continue;
    const rest = name.slice(file.length + 1);
    const stamp = rest.slice(0, STAMP_LENGTH);
    if (timeOf(stamp) === undefined) continue;
    switch (rest.slice(STAMP_LENGTH)) {
      case "":
        plain.set(stamp, { name, stamp, isCompressed: false });
        break;
      case COMPRESSED:
        compressed.set(stamp, { name, stamp, isCompressed: true });
        break;
      case DRAFT:
        useless.push(name);
    }
  }
  for (const [stamp, { name }] of compressed) {
    if (plain.has(stamp)) useless.push(name);
  }
  const rotated = [...new Map([...compressed, ...plain]).values()]
    .sort((a, b) => a.stamp < b.stamp ? -1 : 1);
  return { rotated, useless };
}

/**
 * The name of the file that is rotated away next. Pure.
 *
 * It is later than all others, even if the clock was turned back, so that the order of
 * the names is the order of what was written.
 *
 * @param rotated what there is, the oldest first
 * @param nowMs the wall clock
 */
export function nextRotatedName(
  file: string,
  rotated: readonly RotatedLog[],
  nowMs: number,
): string {
  const newest = timeOf(rotated.at(-1)?.stamp ?? "") ?? -Infinity;
  return `${file}.${stampOf(Math.max(nowMs, newest + SECOND_MS))}`;
}

const SECOND_MS = 1000;
const STAMP_LENGTH = "20060102-150405".length;

// A stamp beyond could not be followed by later ones of the same length.
const LAST_STAMP = "90000101-000000";

function stampOf(ms: number): string {
  const [date = "", time = ""] = new Date(ms).toISOString().split("T");
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}`;
}

/** The time of a stamp; `undefined` for a text that is none. */
function timeOf(stamp: string): number | undefined {
  if (!/^\d{8}-\d{6}$/.test(stamp) || stamp > LAST_STAMP) return undefined;
  const digits = (from: number, to: number): number =>
    Number(stamp.slice(from, to));
  const ms = Date.UTC(
    digits(0, 4),
    digits(4, 6) - 1,
    digits(6, 8),
    digits(9, 11),
    digits(11, 13),
    digits(13, 15),
  );
  // Dates such as the 30th of February are none.
  return Number.isFinite(ms) && stampOf(ms) === stamp ? ms : undefined;
}
