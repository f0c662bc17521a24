/**
 * What logs take on the disk.
 *
 * @module
 */

import { type LogParts, readLogNames } from "./log_names.ts";
import type { PodLogUsage, SpareLog } from "./plan_budget.ts";

/** What is asked of the disk; links are not followed. */
export interface LogMeter {
  /** The entries of a directory; none when there is no directory. */
  entries(
    path: string,
  ): Promise<
    readonly { readonly name: string; readonly isDirectory: boolean }[]
  >;
  /** What a file takes; 0 for anything else. */
  bytes(path: string): Promise<number>;
}

/** What was measured. */
interface MeasuredLogs {
  readonly usages: readonly PodLogUsage[];
  /** Why the logs of some pods could not be. */
  readonly failures: readonly unknown[];
}

/**
 * Measures the logs of pods, those of runs that ended as well.
 *
 * @param root the directory of all logs
 * @param owns whether a pod is meant
 */
export async function measureLogs(
  root: string,
  owns: (uid: string) => boolean,
  meter: LogMeter,
): Promise<MeasuredLogs> {
  const usages: PodLogUsage[] = [];
  const failures: unknown[] = [];
  for (const { name: podDirectory, isDirectory } of await meter.entries(root)) {
    const uid = uidOfLogDirectory(podDirectory);
    if (!isDirectory || uid === undefined || !owns(uid)) continue;
    try {
      usages.push({ uid, ...await measurePod(root, podDirectory, meter) });
    } catch (error) {
      failures.push(error);
    }
  }
  return { usages, failures };
}

async function measurePod(
  root: string,
  podDirectory: string,
  meter: LogMeter,
): Promise<Pick<PodLogUsage, "bytes" | "spare">> {
  const found: { bytes: number; spare: SpareLog[] } = { bytes: 0, spare: [] };
  for (const entry of await meter.entries(`${root}/${podDirectory}`)) {
    if (!entry.isDirectory) continue;
    const directory = entry.name;
    const path = `${root}/${podDirectory}/${directory}`;
    const names = (await meter.entries(path))
      .filter(({ isDirectory }) => !isDirectory).map(({ name }) => name);
    const spare = spareNames(names);
    for (const name of names) {
      const bytes = await meter.bytes(`${path}/${name}`);
      found.bytes += bytes;
      const stamp = spare.get(name);
      if (stamp === undefined) continue;
      const place = { podDirectory, directory, file: name };
      found.spare.push({ place, stamp, bytes });
    }
  }
  return found;
}

/** The UID in the name of a pod's log directory, `<namespace>_<name>_<uid>`. */
export function uidOfLogDirectory(name: string): string | undefined {
  const [namespace, pod, uid, ...more] = name.split("_");
  return namespace && pod && uid && more.length === 0 ? uid : undefined;
}

/** The rotated files that nobody writes to any more, with their stamps. */
function spareNames(names: readonly string[]): ReadonlyMap<string, string> {
  // Each name is looked at for its own log only: there may be very many of both.
  const byLog = Map.groupBy(
    names,
    (name) => /^\d{1,9}\.log(?=\.|$)/.exec(name)?.[0],
  );
  const spare: LogParts["rotated"][number][] = [];
  for (const [log, own] of byLog) {
    if (log === undefined) continue;
    const { rotated } = readLogNames(own, log);
    // The runtime may still write to the newest one.
    const isRotating = !own.includes(log);
    spare.push(...isRotating ? rotated.slice(0, -1) : rotated);
  }
  return new Map(spare.map(({ name, stamp }) => [name, stamp]));
}
