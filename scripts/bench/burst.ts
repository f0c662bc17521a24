/**
 * Many pods at once: from the first rename to the last running container.
 *
 * @module
 */

import { pause } from "../lib/wait_until.ts";
import { type Bench, wallMs } from "./bench_runtime.ts";
import { median } from "./figures.ts";
import { type Kind, kindsOf } from "./contestants.ts";
import { type Burst, burstRows } from "./rows.ts";

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

/** Prints the bare calls, skerry and the kubelet, in turns. */
export async function measureBurst(bench: Bench): Promise<void> {
  const kinds = kindsOf(bench);
  for (const [count, rounds, aim] of BURSTS) {
    const bare: Burst[] = [];
    const seen = new Map<string, Burst[]>(kinds.map(({ name }) => [name, []]));
    for (let round = 0; round < bench.rounds(rounds); round++) {
      await pause(PAUSE_MS);
      bare.push(burstOf(await bareBurst(bench, count)));
      await bench.clear();
      for (const kind of kinds) {
        await pause(PAUSE_MS);
        seen.get(kind.name)?.push(burstOf(await burst(bench, { kind, count })));
        await bench.clear();
      }
    }
    for (const row of burstRows({ count, aim, bare, seen })) {
      bench.report(...row);
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

async function burst(
  bench: Bench,
  { kind, count }: { readonly kind: Kind; readonly count: number },
): Promise<number[]> {
  await using agent = await kind.create();
  await agent.start();
  await agent.untilAnswers();
  await pause(2_000);
  const before = wallMs();
  for (let at = 0; at < count; at++) await agent.apply(`p${at}`);
  // Asking costs the agent time, so ask seldom: the runtime's own times are read afterwards.
  await pause(count * 50);
  const ids = await agent.untilAllRun(count);
  const starts = await startsAfter(bench, ids, before);
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
