/**
 * What the agent costs while nothing happens.
 *
 * @module
 */

import { runningContainers } from "../lib/pod_views.ts";
import { pause } from "../lib/wait_until.ts";
import { type Bench, cpuTicks, residentMb, sleeper } from "./bench_runtime.ts";
import { spread } from "./figures.ts";

/** Pods, and the aims. */
const COUNTS: readonly (readonly [number, string, string])[] = [
  [0, "aim 62; kubelet 73", "aim 0.3; kubelet 0.65"],
  [100, "aim 80; kubelet 104", "aim 0.3, 1 soon after a burst; kubelet 4.2"],
];

/** Soon after the pods started, and when the stream of events has proved true. */
const WINDOWS = ["soon", "later"] as const;

const PARTS = 3;

const PART_S = 10;

/** Prints RSS and CPU at each number of pods. */
export async function measureIdle(bench: Bench): Promise<void> {
  await using agent = await bench.agent();
  await agent.start();
  let pods = 0;
  for (const [count, memoryAim, cpuAim] of COUNTS) {
    for (; pods < count; pods++) {
      await agent.apply(`p${pods}.json`, sleeper(`p${pods}`));
    }
    await agent.until(
      "all running",
      (all) =>
        all.filter((pod) => runningContainers(pod) === 1).length === count,
      120_000,
    );
    await pause(5_000);
    for (const window of WINDOWS) {
      const shares: number[] = [];
      for (let part = 0; part < PARTS; part++) {
        const before = await cpuTicks(agent.pid);
        await pause(PART_S * 1000);
        // A tick is 10 ms on every Linux that Deno runs on.
        shares.push((await cpuTicks(agent.pid) - before) / PART_S);
      }
      bench.report(
        `idle with ${count} pods, ${window}: CPU`,
        spread(shares, "%", 1),
        cpuAim,
      );
    }
    bench.report(
      `idle with ${count} pods: resident`,
      `${await residentMb(agent.pid)} MB`,
      memoryAim,
    );
  }
  await agent.terminate();
  await bench.clear();
}
