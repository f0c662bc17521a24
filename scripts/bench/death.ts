/**
 * From a container's death to its successor running, on each containerd there is.
 *
 * @module
 */

import type { Pod } from "../../mod/api/types/mod.ts";
import type { AgentProcess } from "../lib/agent_process.ts";
import { find, runningContainers } from "../lib/pod_views.ts";
import { ContainerdRig } from "../lib/containerd_rig.ts";
import { pause, waitUntil } from "../lib/wait_until.ts";
import { newerContainerd } from "../newer_containerd.ts";
import { Bench, containerIdOf, sleeper, wallMs } from "./bench_runtime.ts";
import { median } from "./figures.ts";

const ROUNDS = 10;

// Asking takes the agent a fraction of it.
const LOOK_EVERY_MS = 3;

// Of what is on its way, long enough to disturb nothing.
const WAIT_EVERY_MS = 300;

const LIMIT_MS = 30_000;

/** Prints what a death takes, on the machine's containerd and on a newer one. */
export async function measureDeath(bench: Bench): Promise<void> {
  await measureOn(bench);
  const containerdPath = await newerContainerd();
  if (containerdPath === undefined) {
    bench.report(
      "container killed, newer containerd",
      "skipped",
      "not fetched",
    );
    return;
  }
  await using rig = await ContainerdRig.start({ containerdPath });
  await using newer = await Bench.open(
    rig,
    (what, figure, compared) => bench.report(what, figure, compared),
  );
  await measureOn(newer);
}

/** What one death took, in milliseconds. */
interface Death {
  readonly shownMs: number;
  readonly restartedMs: number;
}

async function measureOn(bench: Bench): Promise<void> {
  const bare: number[] = [];
  const admitted: number[] = [];
  const deaths: Death[] = [];
  {
    await using agent = await bench.agent();
    await agent.start();
    // Turn by turn, so that a slow moment of the machine hits both.
    for (let round = 0; round < ROUNDS; round++) {
      const calls = await bareDeath(bench);
      admitted.push(calls.admittedMs);
      bare.push(calls.restartMs);
      deaths.push(await agentDeath(bench, agent, `p${round}`));
    }
    await agent.terminate();
  }
  await bench.clear();
  const { runtimeVersion } = await bench.cri.runtime.version();
  const on = `containerd ${runtimeVersion.replace(/[^\d.].*$/, "")}`;
  const restarted = deaths.map(({ restartedMs }) => restartedMs);
  const line = (what: string, ms: number, compared?: string): void =>
    bench.report(what, `${ms.toFixed(0)} ms`, compared);
  line(`container killed, ${on}: its CRI shows it`, median(admitted));
  line(
    "  the agent shows it",
    median(deaths.map(({ shownMs }) => shownMs)),
    "kubelet up to 1000",
  );
  line(
    "  restarted container running",
    median(restarted),
    "kubelet 1004, podman 177",
  );
  line("  longest", Math.max(...restarted));
  line("  bare create and start", median(bare));
  line("  on top of bare", median(restarted) - median(bare), "aim ≤ 50");
}

/** A death without an agent: until the CRI shows it, and what the calls of a restart take. */
async function bareDeath(
  bench: Bench,
): Promise<{ admittedMs: number; restartMs: number }> {
  const { runtime } = bench.cri;
  const { sandboxId, containerId, request } = await bench.barePod();
  const pid = await pidOf(bench, containerId);
  const killed = wallMs();
  Deno.kill(pid, "SIGKILL");
  await until(async () =>
    (await runtime.containerStatus(containerId)).state === "exited"
  );
  const admittedMs = wallMs() - killed;
  const before = wallMs();
  const { metadata } = request.container;
  const next = await runtime.createContainer({
    sandboxId,
    sandboxConfig: request.sandbox,
    config: { ...request.container, metadata: { ...metadata, attempt: 1 } },
  });
  await runtime.startContainer(next);
  const restartMs = await bench.startedAtMs(next) - before;
  await runtime.stopPodSandbox(sandboxId);
  await runtime.removePodSandbox(sandboxId);
  return { admittedMs, restartMs };
}

/** A death under the agent, of a fresh pod: the first restart knows no back-off. */
async function agentDeath(
  bench: Bench,
  agent: AgentProcess,
  name: string,
): Promise<Death> {
  const { runtime } = bench.cri;
  await agent.apply(`${name}.json`, sleeper(name));
  const pods = await agent.until(
    "running",
    (pods) => runningContainers(find(pods, name)) === 1,
  );
  const pod = find(pods, name);
  const before = containerIdOf(pod);
  const pid = await pidOf(bench, before);
  // Anywhere between two lists.
  await pause(1_500 + Math.random() * 1_000);
  const killed = wallMs();
  Deno.kill(pid, "SIGKILL");
  const path = `/api/v1/namespaces/default/pods/${pod?.metadata.name}`;
  const look = async (): Promise<Pod> =>
    JSON.parse((await agent.get(path)).text);
  await until(async () => {
    const seen = await look();
    return containerIdOf(seen) !== before || runningContainers(seen) !== 1;
  });
  const shownMs = wallMs() - killed;
  let restarted = "";
  // The runtime remembers when it was: to ask often now would slow down what is measured.
  await until(async () => {
    const seen = await look();
    restarted = containerIdOf(seen);
    return restarted !== before && runningContainers(seen) === 1;
  }, WAIT_EVERY_MS);
  const restartedMs = await bench.startedAtMs(restarted) - killed;
  await agent.removeManifest(`${name}.json`);
  await until(async () => (await runtime.listPodSandbox()).length === 0);
  return { shownMs, restartedMs };
}

/** Asked for beforehand: `ctr` takes longer than the agent. */
async function pidOf(bench: Bench, containerId: string): Promise<number> {
  const pid = (await bench.rig.tools.tasks()).get(containerId);
  if (pid !== undefined && pid > 1) return pid;
  throw new Error(`Cannot kill container "${containerId}": it does not run`);
}

async function until(
  holds: () => Promise<boolean>,
  everyMs: number = LOOK_EVERY_MS,
): Promise<void> {
  await waitUntil("what follows a death", holds, {
    timeoutMs: LIMIT_MS,
    everyMs,
  });
}
