/**
 * An agent on a fake runtime, which may have more pods than this machine.
 *
 * @module
 */

import { AgentProcess } from "../lib/agent_process.ts";
import { BUSYBOX_IMAGE } from "../lib/containerd_rig.ts";
import { COMPILED_FLAGS } from "../lib/launch_flags.ts";
import { runningContainers } from "../lib/pod_views.ts";
import { FakeCri } from "../../tests/support/fake_cri/fake_cri.ts";
import { cpuTicks, residentMb, sleeper } from "./bench_runtime.ts";

/** Until the agent has given back what it can. */
export const SETTLE_MS = 33_000;

/** The pods of an agent, in a number that changes. */
export interface Pods {
  become(count: number): Promise<void>;
  residentMb(): Promise<number>;
  cpuTicks(): Promise<number>;
}

/** The manifest that makes the one pod of a name. */
export type ManifestOf = (name: string) => Record<string, unknown>;

/** Runs an agent for as long as something is measured. */
export async function withPods(
  measure: (pods: Pods) => Promise<void>,
  manifestOf: ManifestOf = sleeper,
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
          await agent.apply(`p${have}.json`, manifestOf(`p${have}`));
        }
        for (; have > count; have--) {
          await agent.removeManifest(`p${have - 1}.json`);
        }
        await agent.until(
          `${count} pods`,
          (all) =>
            all.length === count &&
            all.every((pod) => runningContainers(pod) === 1),
        );
      },
      residentMb: () => residentMb(agent.pid),
      cpuTicks: () => cpuTicks(agent.pid),
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
