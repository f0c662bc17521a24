/**
 * The settings about what becomes of pods when the machine goes down.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import type { ShutdownGroup } from "../pod/lifecycle/mod.ts";
import { CRITICAL_PRIORITY } from "../api/vocabulary/mod.ts";
import type { Settings } from "./agent_config.ts";
import { type Decoder, durationMs, integer, listOf } from "./decoders.ts";
import { field, type Rows } from "./setting.ts";

// Bounds of upstream's types, and a day: longer no machine takes to go down.
const priority = integer(-(2 ** 31), 2 ** 31 - 1);
const seconds = integer(0, 86_400);

const group: Decoder<ShutdownGroup> = {
  wanted:
    "a map of priority and shutdownGracePeriodSeconds, both whole numbers",
  decode: (value, baseDir) => {
    if (!isRecord(value)) return undefined;
    const { priority: from, shutdownGracePeriodSeconds: given, ...more } =
      value;
    const lowest = priority.decode(from ?? 0, baseDir);
    const graceSeconds = seconds.decode(given ?? 0, baseDir);
    return lowest === undefined || graceSeconds === undefined ||
        Object.keys(more).length > 0
      ? undefined
      : { priority: lowest, graceSeconds };
  },
};

/** Their rows in the table of settings. */
export const SHUTDOWN_ROWS: Rows<Settings["shutdown"]> = {
  totalMs: {
    kubelet: field("shutdownGracePeriod", durationMs),
    fallback: 0,
    mostMs: 86_400_000,
  },
  criticalMs: {
    kubelet: field("shutdownGracePeriodCriticalPods", durationMs),
    fallback: 0,
  },
  byPriority: {
    kubelet: field("shutdownGracePeriodByPodPriority", listOf(group)),
    fallback: [],
  },
};

/** The groups of pods that end one after the other; none when pods are left alone. */
export function shutdownGroups(
  { totalMs, criticalMs, byPriority }: Settings["shutdown"],
): readonly ShutdownGroup[] {
  if (totalMs === 0) return byPriority;
  // As upstream: the critical ones come last, and their time is a part of the whole.
  const total = Math.trunc(totalMs / 1_000);
  const critical = Math.trunc(criticalMs / 1_000);
  return [
    { priority: 0, graceSeconds: total - critical },
    { priority: CRITICAL_PRIORITY, graceSeconds: critical },
  ];
}

/** What is wrong with them, as upstream judges it. */
export function shutdownFaults(
  { totalMs, criticalMs, byPriority }: Settings["shutdown"],
): string[] {
  const faults: string[] = [];
  for (
    const [name, ms] of [
      ["shutdownGracePeriod", totalMs],
      ["shutdownGracePeriodCriticalPods", criticalMs],
    ] as const
  ) {
    if (ms > 0 && ms < 1_000) {
      faults.push(
        `Cannot use ${name}: found ${ms} ms, wanted 0 or at least 1s`,
      );
    }
  }
  if (criticalMs > totalMs) {
    faults.push(
      `Cannot use shutdownGracePeriodCriticalPods: found ${criticalMs} ms beside shutdownGracePeriod of ${totalMs} ms, wanted at most that`,
    );
  }
  if (byPriority.length > 0 && totalMs + criticalMs > 0) {
    faults.push(
      "Cannot use shutdownGracePeriodByPodPriority: found it beside shutdownGracePeriod or shutdownGracePeriodCriticalPods, wanted one or the other",
    );
  }
  const priorities = byPriority.map((each) => each.priority);
  const twice = priorities.find((each, at) => priorities.indexOf(each) !== at);
  if (twice !== undefined) {
    faults.push(
      `Cannot use shutdownGracePeriodByPodPriority: found priority ${twice} twice, wanted each once`,
    );
  }
  return faults;
}
