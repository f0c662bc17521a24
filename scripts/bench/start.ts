/**
 * One pod: from the manifest's rename to its running container.
 *
 * @module
 */

import { find, runningContainers } from "../lib/pod_views.ts";
import {
  type Bench,
  containerIdOf,
  onTop,
  ratio,
  sleeper,
  spread,
  wallMs,
} from "./bench_runtime.ts";

const ROUNDS = 10;

/** Prints the bare calls, skerry, and the difference. */
export async function measureStart(bench: Bench): Promise<void> {
  const bare: number[] = [];
  const skerry: number[] = [];
  await using agent = await bench.agent();
  await agent.start();
  await agent.until("the agent answers", () => true);
  // Turn by turn, so that a slow moment of the machine hits both.
  for (let round = 0; round < ROUNDS; round++) {
    const before = wallMs();
    const { containerId } = await bench.barePod();
    bare.push(await bench.startedAtMs(containerId) - before);
    const renamed = wallMs();
    await agent.apply(`p${round}.json`, sleeper(`p${round}`));
    const pods = await agent.until(
      "running",
      (pods) => runningContainers(find(pods, `p${round}`)) === 1,
    );
    skerry.push(
      await bench.startedAtMs(containerIdOf(find(pods, `p${round}`))) - renamed,
    );
  }
  bench.report("one pod, bare CRI calls", spread(bare, "ms"));
  bench.report(
    "one pod, manifest renamed in → running",
    spread(skerry, "ms"),
    `${ratio(skerry, bare)}; ${onTop(skerry, bare)}, aim 5; kubelet about 50`,
  );
  await agent.terminate();
  await bench.clear();
}
