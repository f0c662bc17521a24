/**
 * Many pods at once: from the first rename to the last running container.
 *
 * @module
 */

import { runningContainers } from "../lib/pod_views.ts";
import { pause } from "../lib/wait_until.ts";
import {
  type Bench,
  containerIdOf,
  median,
  ratio,
  sleeper,
  spread,
  wallMs,
} from "./bench_runtime.ts";

/** How many pods, how often, and what is aimed at. */
const BURSTS: readonly (readonly [number, number, string])[] = [
  [10, 3, "aim ≤ 1.05; kubelet 1.30 s"],
  [30, 3, "aim ≤ 1.1; kubelet 6.8 s"],
  [100, 2, "aim ≤ 1.05; kubelet 17.9 s"],
];

/** As many calls as the agent has under way. */
const LANES = 6;

/** A kernel that still clears network namespaces makes the next burst up to twice as slow. */
const PAUSE_MS = 25_000;

/** When the pods of a burst ran, after its begin. */
interface Burst {
  readonly firstMs: number;
  readonly medianMs: number;
  readonly lastMs: number;
}

/** Prints the bare calls and skerry, in turns. */
export async function measureBurst(bench: Bench): Promise<void> {
  for (const [count, rounds, aim] of BURSTS) {
    const bare: Burst[] = [];
    const skerry: Burst[] = [];
    for (let round = 0; round < rounds; round++) {
      await pause(PAUSE_MS);
      bare.push(burstOf(await bareBurst(bench, count)));
      await bench.clear();
      await pause(PAUSE_MS);
      skerry.push(burstOf(await skerryBurst(bench, count)));
      await bench.clear();
    }
    for (
      const [what, key, compared] of [
        ["all running", "lastMs", aim],
        ["half of them", "medianMs", ""],
        ["the first", "firstMs", ""],
      ] as const
    ) {
      const times = (bursts: readonly Burst[]): number[] =>
        bursts.map((burst) => burst[key]);
      bench.report(
        `${count} pods at once, bare CRI calls, ${what}`,
        spread(times(bare), "ms"),
      );
      bench.report(
        `${count} pods at once, skerry, ${what}`,
        spread(times(skerry), "ms"),
        `${ratio(times(skerry), times(bare))} ${compared}`,
      );
    }
  }
}

function burstOf(afterMs: readonly number[]): Burst {
  return {
    firstMs: Math.min(...afterMs),
    medianMs: median(afterMs),
    lastMs: Math.max(...afterMs),
  };
}

async function bareBurst(bench: Bench, count: number): Promise<number[]> {
  const before = wallMs();
  let left = count;
  const ids: string[] = [];
  await Promise.all(Array.from({ length: LANES }, async () => {
    while (left-- > 0) ids.push((await bench.barePod()).containerId);
  }));
  return await startsAfter(bench, ids, before);
}

async function skerryBurst(bench: Bench, count: number): Promise<number[]> {
  await using agent = await bench.agent();
  await agent.start();
  await agent.until("the agent answers", () => true);
  await pause(2_000);
  const before = wallMs();
  for (let at = 0; at < count; at++) {
    await agent.apply(`p${at}.json`, sleeper(`p${at}`));
  }
  // Asking costs the agent time, so ask seldom: the runtime's own times are read afterwards.
  await pause(count * 50);
  const pods = await agent.until(
    "all running",
    (pods) =>
      pods.filter((pod) => runningContainers(pod) === 1).length === count,
    120_000,
  );
  const starts = await startsAfter(bench, pods.map(containerIdOf), before);
  await agent.terminate();
  return starts;
}

/** When containers started, by the runtime. */
async function startsAfter(
  bench: Bench,
  ids: readonly string[],
  beforeMs: number,
): Promise<number[]> {
  const starts = ids.map((id) => bench.startedAtMs(id));
  return (await Promise.all(starts)).map((atMs) => atMs - beforeMs);
}
