/**
 * What the agent holds in memory, on a fake runtime, which may have more pods than this
 * machine.
 *
 * @module
 */

import { AgentProcess } from "../lib/agent_process.ts";
import { BUSYBOX_IMAGE } from "../lib/containerd_rig.ts";
import { COMPILED_FLAGS } from "../lib/launch_flags.ts";
import { runningContainers } from "../lib/pod_views.ts";
import { pause } from "../lib/wait_until.ts";
import { FakeCri } from "../../tests/support/fake_cri/fake_cri.ts";
import { residentMb, sleeper } from "./bench_runtime.ts";
import { type Report, spread } from "./figures.ts";

const ROUNDS = 2;

/** Pods, and the aim in MB. */
const COUNTS: readonly (readonly [number, string])[] = [
  [0, "aim 62; kubelet 73"],
  [10, "aim 65; kubelet 81"],
  [30, "aim 70; kubelet 86"],
  [100, "aim 80; kubelet 104"],
  [300, ""],
];

/** Until the agent has given back what it can. */
const SETTLE_MS = 33_000;

const LIMIT_MS = 120_000;

const CAME_AND_WENT = "30 s after 100 pods came and went, twice";

/** Prints the memory with some numbers of pods, and when many came and went. */
export async function measureMemory(report: Report): Promise<void> {
  const seen = new Map<string, number[]>();
  const note = (what: string, megabytes: number): void => {
    seen.set(what, [...seen.get(what) ?? [], megabytes]);
  };
  // Deno examines a bundle that it has never seen, for 35 MB; an executable was examined.
  await withAgent((pods) => pods.become(0));
  for (let round = 0; round < ROUNDS; round++) {
    await withAgent(async (pods) => {
      for (const [count] of COUNTS) {
        await pods.become(count);
        await pause(SETTLE_MS);
        note(`resident with ${count} pods`, await pods.residentMb());
      }
    });
    await withAgent(async (pods) => {
      for (const count of [100, 0, 100, 0]) await pods.become(count);
      await pause(30_000);
      note(`resident ${CAME_AND_WENT}`, await pods.residentMb());
    });
  }
  const aims = new Map<string, string>([
    ...COUNTS.map(([count, aim]) =>
      [`resident with ${count} pods`, aim] as const
    ),
    [`resident ${CAME_AND_WENT}`, "aim 75; kubelet 85"],
  ]);
  for (const [what, values] of seen) {
    report(what, spread(values, "MB"), aims.get(what));
  }
}

/** The pods of an agent, in a number that changes. */
interface Pods {
  become(count: number): Promise<void>;
  residentMb(): Promise<number>;
}

async function withAgent(
  measure: (pods: Pods) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-memory-" });
  try {
    const runtimeSocket = `${directory}/cri.sock`;
    await using fake = await FakeCri.start({ socketPath: runtimeSocket });
    fake.containerdEventsEnabled = true;
    fake.tasks = true;
    fake.addImage({ ref: BUSYBOX_IMAGE });
    const config = `${directory}/config.yaml`;
    await Deno.writeTextFile(config, CONFIG);
    await using agent = await AgentProcess.create({
      runtimeSocket,
      podNetwork: "10.88.0.0/16",
      denoFlags: COMPILED_FLAGS,
      args: [`--config=${config}`],
    });
    await agent.start();
    let have = 0;
    await measure({
      become: async (count) => {
        for (; have < count; have++) {
          await agent.apply(`p${have}.json`, sleeper(`p${have}`));
        }
        for (; have > count; have--) {
          await agent.removeManifest(`p${have - 1}.json`);
        }
        await agent.until(
          `${count} pods`,
          (all) =>
            all.length === count &&
            all.every((pod) => runningContainers(pod) === 1),
          LIMIT_MS,
        );
      },
      residentMb: () => residentMb(agent.pid),
    });
    // The goodbye of a client ends a process that has served it for long by node:http2 (2.9.6).
    await agent.kill();
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
maxPods: 400
`;
