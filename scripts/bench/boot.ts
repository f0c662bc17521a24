/**
 * From the agent's start to a waiting pod running, and to running pods adopted.
 *
 * @module
 */

import { find, runningContainers } from "../lib/pod_views.ts";
import {
  type Bench,
  containerIdOf,
  onTop,
  sleeper,
  spread,
  wallMs,
} from "./bench_runtime.ts";

const ROUNDS = 5;
const ADOPTED = 50;

/** Prints both, the first beside the bare calls. */
export async function measureBoot(bench: Bench): Promise<void> {
  await waiting(bench);
  await adoption(bench);
}

async function waiting(bench: Bench): Promise<void> {
  const bare: number[] = [];
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = wallMs();
    const { containerId } = await bench.barePod();
    bare.push(await bench.startedAtMs(containerId) - before);
    await using agent = await bench.agent();
    await agent.applyLongAgo("p.json", sleeper("p"));
    const started = wallMs();
    await agent.start();
    const pods = await agent.until(
      "running",
      (pods) => runningContainers(find(pods, "p")) === 1,
    );
    took.push(
      await bench.startedAtMs(containerIdOf(find(pods, "p"))) - started,
    );
    await agent.terminate();
    await bench.clear();
  }
  bench.report("one pod, bare CRI calls", spread(bare, "ms"));
  bench.report(
    "agent start → waiting pod running, without code cache",
    spread(took, "ms"),
    `${onTop(took, bare)}, aim 250; kubelet 320`,
  );
}

async function adoption(bench: Bench): Promise<void> {
  await using agent = await bench.agent();
  for (let at = 0; at < ADOPTED; at++) {
    await agent.apply(`p${at}.json`, sleeper(`p${at}`));
  }
  await agent.start();
  const all = (pods: readonly Parameters<typeof runningContainers>[0][]) =>
    pods.filter((pod) => runningContainers(pod) === 1).length === ADOPTED;
  await agent.until("all running", all, 120_000);
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await agent.kill();
    const started = wallMs();
    await agent.start();
    await agent.until("all adopted", all);
    took.push(wallMs() - started);
  }
  bench.report(
    `agent start → ${ADOPTED} running pods adopted`,
    spread(took, "ms"),
    "aim ≤ 1000",
  );
  await agent.terminate();
  await bench.clear();
}
