/**
 * The agent's own share of a restart: from the event of a container's end to the call
 * that starts its successor, on a fake runtime whose calls take no time.
 *
 * A real runtime varies by more than that share; two versions of the agent are told
 * apart by this.
 *
 * @module
 */

import { AgentProcess } from "../lib/agent_process.ts";
import { BUSYBOX_IMAGE } from "../lib/containerd_rig.ts";
import { COMPILED_FLAGS } from "../lib/launch_flags.ts";
import { find, runningContainers } from "../lib/pod_views.ts";
import { pause } from "../lib/wait_until.ts";
import { FakeCri } from "../../tests/support/fake_cri/fake_cri.ts";
import {
  callAfter,
  containerIdOf,
  cpuTicks,
  sleeper,
  wallMs,
} from "./bench_runtime.ts";
import { median, type Report } from "./figures.ts";

const ROUNDS = 40;

// After a start and after a restart, until the agent has no more to do.
const PAUSE_MS = 400;

// containerd 1.6 shows an end in the CRI that much after its event.
const SHOWN_AFTER_MS = 25;

/** Prints the share with the events of either kind; needs no runtime. */
export async function measureRestart(report: Report): Promise<void> {
  for (const stream of ["containerd 1.6's", "CRI"] as const) {
    const directory = await Deno.makeTempDir({ prefix: "skerry-restart-" });
    try {
      const { tookMs, cpuMs } = await restarts(
        `${directory}/cri.sock`,
        stream === "CRI",
      );
      const ms = (value: number): string => `${value.toFixed(1)} ms`;
      report(`end told → restart asked, ${stream} events`, ms(median(tookMs)));
      report("  longest", ms(Math.max(...tookMs)));
      report("  CPU of the agent for each", ms(cpuMs));
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  }
}

async function restarts(
  socketPath: string,
  hasCriEvents: boolean,
): Promise<{ tookMs: number[]; cpuMs: number }> {
  await using fake = await FakeCri.start({ socketPath });
  fake.addImage({ ref: BUSYBOX_IMAGE });
  // The agent asks a containerd before 1.7 for its own events only.
  if (hasCriEvents) fake.settings.runtimeVersion = "1.7.24";
  fake.eventsEnabled = hasCriEvents;
  fake.containerdEventsEnabled = !hasCriEvents;
  fake.tasks = !hasCriEvents;
  await using agent = await AgentProcess.start({
    runtimeSocket: socketPath,
    podNetwork: "10.244.0.0/16",
    denoFlags: COMPILED_FLAGS,
  });
  const tookMs: number[] = [];
  let ticks = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // A pod of its own each time, since a second death would be backed off.
    const id = await runningContainer(agent, `p${round}`);
    await pause(PAUSE_MS);
    const ticksBefore = await cpuTicks(agent.pid);
    const started = fake.callsOf("StartContainer").length;
    const ended = wallMs();
    if (!hasCriEvents) fake.endTask(id, 137);
    const show = setTimeout(
      () => fake.exitContainer(id, 137),
      hasCriEvents ? 0 : SHOWN_AFTER_MS,
    );
    tookMs.push(await callAfter(fake, "StartContainer", started) - ended);
    await pause(PAUSE_MS);
    clearTimeout(show);
    ticks += await cpuTicks(agent.pid) - ticksBefore;
  }
  // The goodbye of a client ends a process that has served it for long by node:http2 (2.9.6).
  await agent.kill();
  // A tick is 10 ms on every Linux that Deno runs on.
  return { tookMs, cpuMs: ticks * 10 / ROUNDS };
}

async function runningContainer(
  agent: AgentProcess,
  name: string,
): Promise<string> {
  await agent.apply(`${name}.json`, sleeper(name));
  const pods = await agent.until(
    `${name} running`,
    (all) => runningContainers(find(all, name)) === 1,
  );
  return containerIdOf(find(pods, name));
}
