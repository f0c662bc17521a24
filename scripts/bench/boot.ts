/**
 * From the agent's start to a waiting pod running, and to running pods adopted.
 *
 * @module
 */

import { runningContainers } from "../lib/pod_views.ts";
import { type Bench, sleeper, wallMs } from "./bench_runtime.ts";
import { onTop, spread } from "./figures.ts";
import { kindsOf } from "./contestants.ts";

const ROUNDS = 5;
const ADOPTED = 50;

/** Prints both, the first beside the bare calls. */
export async function measureBoot(bench: Bench): Promise<void> {
  await waiting(bench);
  await adoption(bench);
}

async function waiting(bench: Bench): Promise<void> {
  const bare: number[] = [];
  const kinds = kindsOf(bench);
  const took = new Map<string, number[]>(kinds.map(({ name }) => [name, []]));
  for (let round = 0; round < bench.rounds(ROUNDS); round++) {
    const before = wallMs();
    const { containerId } = await bench.barePod();
    bare.push(await bench.startedAtMs(containerId) - before);
    for (const kind of kinds) {
      await using agent = await kind.create();
      await agent.applyLongAgo("p");
      const started = wallMs();
      await agent.start();
      const id = await agent.untilRuns("p");
      took.get(kind.name)?.push(await bench.startedAtMs(id) - started);
      await agent.terminate();
      await bench.clear();
    }
  }
  bench.report("one pod, bare CRI calls", spread(bare, "ms"));
  const { skerry = [], kubelet } = Object.fromEntries(took);
  bench.report(
    "agent start → waiting pod running, without code cache",
    spread(skerry, "ms"),
    `${onTop(skerry, bare)}, aim 250; kubelet 320`,
  );
  if (kubelet === undefined) return;
  bench.report(
    "kubelet start → waiting pod running",
    spread(kubelet, "ms"),
    onTop(kubelet, bare),
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
  for (let round = 0; round < bench.rounds(ROUNDS); round++) {
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
