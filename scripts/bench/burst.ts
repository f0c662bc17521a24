/**
 * Many pods at once: from the first rename to the last running container.
 *
 * @module
 */

import { runningContainers } from "../lib/pod_views.ts";
import { pause } from "../lib/wait_until.ts";
import { type Bench, containerIdOf, sleeper, wallMs } from "./bench_runtime.ts";

const COMPARED: Record<number, string> = {
  30: "aim: bare + 10 %; kubelet 6.7 s, podman 7.8 s",
  100: "aim: bare + 10 %; kubelet 17.9 s",
};

/** Prints the bare calls at their best concurrency, and skerry. */
export async function measureBurst(bench: Bench): Promise<void> {
  for (const count of [30, 100]) {
    let best = Infinity;
    for (const lanes of [4, 8]) {
      best = Math.min(best, await bareBurst(bench, { count, lanes }));
      await bench.clear();
    }
    bench.report(
      `${count} pods at once, bare CRI calls`,
      `${(best / 1000).toFixed(2)} s`,
    );
    const took = await skerryBurst(bench, count);
    bench.report(
      `${count} pods at once, skerry`,
      `${(took / 1000).toFixed(2)} s`,
      `${((took / best - 1) * 100).toFixed(0)} % on top; ${COMPARED[count]}`,
    );
    await bench.clear();
  }
}

async function bareBurst(
  bench: Bench,
  load: { count: number; lanes: number },
): Promise<number> {
  const before = wallMs();
  let left = load.count;
  const ends: number[] = [];
  await Promise.all(Array.from({ length: load.lanes }, async () => {
    while (left-- > 0) {
      await bench.barePod();
      ends.push(wallMs());
    }
  }));
  return Math.max(...ends) - before;
}

async function skerryBurst(bench: Bench, count: number): Promise<number> {
  await using agent = await bench.agent();
  await agent.start();
  await agent.until("the agent answers", () => true);
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
  const starts = await Promise.all(
    pods.map((pod) => bench.startedAtMs(containerIdOf(pod))),
  );
  await agent.terminate();
  return Math.max(...starts) - before;
}
