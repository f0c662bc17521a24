/**
 * What the agent costs while nothing happens.
 *
 * @module
 */

import { runningContainers } from "../lib/pod_views.ts";
import { pause } from "../lib/wait_until.ts";
import { type Bench, cpuTicks, residentMb, sleeper } from "./bench_runtime.ts";

/** Pods → aims: resident MB and per cent of a core. */
const AIMS: readonly (readonly [number, number, number])[] = [
  [0, 62, 0.4],
  [10, 65, 0.6],
  [50, 75, 1.2],
  [100, 85, 2],
];

const WINDOW_S = 20;

/** Prints RSS and CPU at each number of pods. */
export async function measureIdle(bench: Bench): Promise<void> {
  await using agent = await bench.agent();
  await agent.start();
  let pods = 0;
  for (const [count, rssAim, cpuAim] of AIMS) {
    for (; pods < count; pods++) {
      await agent.apply(`p${pods}.json`, sleeper(`p${pods}`));
    }
    await agent.until(
      "all running",
      (all) =>
        all.filter((pod) => runningContainers(pod) === 1).length === count,
      120_000,
    );
    await pause(10_000);
    const before = await cpuTicks(agent.pid);
    await pause(WINDOW_S * 1000);
    const ticks = await cpuTicks(agent.pid) - before;
    bench.report(
      `idle with ${count} pods: resident`,
      `${await residentMb(agent.pid)} MB`,
      `aim ${rssAim}; kubelet 73 at 0, 104 at 100`,
    );
    // A tick is 10 ms on every Linux that Deno runs on.
    bench.report(
      `idle with ${count} pods: CPU`,
      `${(ticks / WINDOW_S).toFixed(2)} %`,
      `aim ${cpuAim}; kubelet 0.65 at 0, 4.2 at 100`,
    );
  }
  await agent.terminate();
  await bench.clear();
}
