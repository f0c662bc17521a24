/**
 * From a container's death to its successor running.
 *
 * @module
 */

import { find, runningContainers } from "../../tests/support/pod_views.ts";
import {
  type Bench,
  containerIdOf,
  median,
  sleeper,
  wallMs,
} from "./bench_runtime.ts";

const ROUNDS = 5;

/** Prints the time from SIGKILL to the restarted process. */
export async function measureDeath(bench: Bench): Promise<void> {
  const took: number[] = [];
  await using agent = await bench.agent();
  await agent.start();
  for (let round = 0; round < ROUNDS; round++) {
    // A fresh pod a round: the first restart of a container knows no back-off.
    await agent.apply(`p${round}.json`, sleeper(`p${round}`));
    const before = containerIdOf(
      find(
        await agent.until(
          "running",
          (pods) => runningContainers(find(pods, `p${round}`)) === 1,
        ),
        `p${round}`,
      ),
    );
    await new Promise((resolve) =>
      setTimeout(resolve, 1500 + Math.random() * 1000)
    );
    const killed = wallMs();
    await bench.rig.tools.killContainer(before);
    const pods = await agent.until("restarted", (pods) => {
      const pod = find(pods, `p${round}`);
      return runningContainers(pod) === 1 && containerIdOf(pod) !== before;
    });
    took.push(
      await bench.startedAtMs(containerIdOf(find(pods, `p${round}`))) - killed,
    );
  }
  bench.report(
    "container killed → restarted container running, median",
    `${median(took).toFixed(0)} ms`,
    "aim ≤ 1100; kubelet 1004, podman 177, bare 50",
  );
  bench.report("  longest", `${Math.max(...took).toFixed(0)} ms`);
  await agent.terminate();
  await bench.clear();
}
