/**
 * How long work has waited for something of the machine, as the kernel tells it (PSI).
 *
 * @module
 */

/** How long tasks have waited, in parts of a hundred of the last seconds and in all. */
export interface StallTimes {
  /** Since the cgroup was made, in microseconds. */
  readonly total: number;
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
}

/** One thing that is waited for. */
export interface PressureStall {
  /** When all tasks waited; the kernel may not tell that of the processor. */
  readonly full: StallTimes | undefined;
  /** When at least one did. */
  readonly some: StallTimes | undefined;
}

/** Reads a file such as `cpu.pressure` of a cgroup; `undefined` when it says nothing. */
export function parsePressureStall(text: string): PressureStall | undefined {
  const full = timesIn(text, "full");
  const some = timesIn(text, "some");
  return full === undefined && some === undefined ? undefined : { full, some };
}

function timesIn(text: string, kind: "full" | "some"): StallTimes | undefined {
  const line = text.split("\n").find((each) => each.startsWith(`${kind} `));
  const found = LINE.exec(line ?? "");
  if (found === null) return undefined;
  const [, avg10, avg60, avg300, total] = found;
  return {
    total: Number(total),
    avg10: Number(avg10),
    avg60: Number(avg60),
    avg300: Number(avg300),
  };
}

const LINE =
  /^\w{4} avg10=([\d.]{1,12}) avg60=([\d.]{1,12}) avg300=([\d.]{1,12}) total=(\d{1,20})$/;
