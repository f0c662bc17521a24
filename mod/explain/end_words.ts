/**
 * How a container ended, in words.
 *
 * @module
 */

import type { ContainerStatus } from "../api/types/mod.ts";
import { innermost } from "./innermost.ts";
import { type TimeWords, words } from "./time_words.ts";
import { parseTime } from "../pod/status/mod.ts";

/** The end of one run, as a status shows it. */
export type Terminated = NonNullable<
  NonNullable<ContainerStatus["state"]>["terminated"]
>;

/** The latest end that a status tells of. */
export function latestEnd(
  status: ContainerStatus | undefined,
): Terminated | undefined {
  return status?.state?.terminated ?? status?.lastState?.terminated;
}

/**
 * `exit code 1 at 12:02:40: <the last line that it left>`.
 *
 * @param why Why the agent stopped it; `undefined` when it ended by itself.
 */
export function endWords(
  end: Terminated,
  time: TimeWords,
  why?: string,
): string {
  const how = words(
    `exit code ${end.exitCode}${meaningOf(end)}`,
    time.at(parseTime(end.finishedAt)),
  );
  if (why !== undefined) return `${how}, stopped because ${why}`;
  const line = lastLine(end.message ?? "");
  return line === "" ? how : `${how}: ${line}`;
}

/** What stands behind the exit code: only what it does not say itself. */
function meaningOf({ exitCode, reason = "" }: Terminated): string {
  switch (reason) {
    case "":
    case "Error":
    case "Completed": {
      const signal = exitCode - SIGNAL_CODES;
      return signal > 0 && signal <= LAST_SIGNAL
        ? ` (ended by signal ${signal})`
        : "";
    }
    case "OOMKilled":
      return " (OOMKilled: it used more memory than it may)";
    case "StartError":
      return " (StartError: it could not be started)";
    case "ContainerStatusUnknown":
      return " (ContainerStatusUnknown: nobody saw its end)";
    case "RestartingAllContainers":
      return " (all containers of the pod were restarted)";
    default:
      return ` (${reason})`;
  }
}

/** What a shell adds to the number of a signal. */
const SIGNAL_CODES = 128;
const LAST_SIGNAL = 64;

/** The last line with something in it, cut to what fits a sentence. */
export function lastLine(text: string): string {
  const line = text.split("\n").map((each) => each.trim())
    .findLast((each) => each !== "") ?? "";
  return innermost(line);
}
