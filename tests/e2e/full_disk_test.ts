/**
 * An agent whose disk is full, at another of its writes each time.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find } from "../../scripts/lib/pod_views.ts";
import { pause } from "../../scripts/lib/wait_until.ts";
import { execIn, idOf, untilPodRuns } from "../support/e2e/inside.ts";
import { SmallDisk } from "../support/e2e/small_disk.ts";
import { TempDir } from "../support/temp_dir.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

/** How many kibibytes are left: with each some more writes of the agent succeed. */
const LEFT = [0, 1, 3, 8, 21, 34];

/** What is asserted here is not what a node does about pressure. */
const CONFIG = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
evictionHard: {memory.available: 1Mi}
`;

/** A pod and its ConfigMap; what the pod sees of it is as long as several blocks. */
function configured(name: string, value: string): string {
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: { value: wordOf(value) },
  };
  const pod = podManifest(name, {
    volumes: [
      { name: "config", configMap: { name } },
      { name: "data", emptyDir: {} },
    ],
    containers: [{
      name: "main",
      command: ["sleep", "100000"],
      env: [{ name: "VALUE", value }],
      volumeMounts: [
        { name: "config", mountPath: "/config" },
        { name: "data", mountPath: "/data" },
      ],
    }],
  });
  return `${JSON.stringify(map)}\n---\n${JSON.stringify(pod)}\n`;
}

function wordOf(value: string): string {
  return `${value}:${"x".repeat(5_000)}`;
}

/** Which containers run, by their pods. */
function containersOf(pods: readonly Pod[]): readonly string[] {
  return pods.map((pod) => `${pod.metadata.name} ${idOf(pod, "main")}`)
    .toSorted();
}

withRuntime("a full disk", (test) => {
  test("hurts no pod that runs, and what it held up comes when there is room again (N01)", async (runtime) => {
    await using temp = await TempDir.make();
    const directory = `${temp.path}/disk`;
    await Deno.mkdir(directory);
    const manifestPath = `${temp.path}/manifests`;
    await Deno.mkdir(manifestPath);
    const config = `${temp.path}/config.yaml`;
    await Deno.writeTextFile(config, CONFIG);
    await using disk = await SmallDisk.mount(directory, {
      image: `${temp.path}/disk.img`,
      mebibytes: 24,
    });
    await using agent = await AgentProcess.start({
      ...runtime.agentOptions(),
      directory,
      manifestPath,
      args: [`--config=${config}`],
    });
    const put = (name: string, value: string): Promise<void> =>
      Deno.writeTextFile(`${manifestPath}/.new`, configured(name, value)).then(
        () =>
          Deno.rename(`${manifestPath}/.new`, `${manifestPath}/${name}.yaml`),
      );
    const seen = async (name: string): Promise<string> => {
      const id = idOf(await untilPodRuns(agent, name), "main");
      return await execIn(
        runtime,
        id,
        "echo $VALUE; head -c 5010 /config/value",
      );
    };
    await put("idle", "idle");
    await put("edited", "0");
    const idle = idOf(await untilPodRuns(agent, "idle"), "main");
    await untilPodRuns(agent, "edited");
    for (const [round, left] of LEFT.entries()) {
      const late = `late${round}`;
      const value = `${round + 1}`;
      await disk.fill(left);
      await put(late, value);
      await put("edited", value);
      await agent.until(
        `${late} known`,
        (pods) => find(pods, late) !== undefined,
      );
      await pause(500);
      if (round % 2 === 1) {
        await agent.kill();
        await agent.start();
        await agent.until(
          `${late} known again`,
          (pods) => find(pods, late) !== undefined,
        );
      }
      strictEqual(idOf(await untilPodRuns(agent, "idle"), "main"), idle);
      if (left === 0) {
        await agent.untilAnswer("/api/v1/events", /No space left on device/);
      }
      await disk.free();
      strictEqual(await seen(late), `${value}\n${wordOf(value)}`);
      await agent.until(
        "the edit",
        (pods) =>
          find(pods, "edited")?.spec.containers[0]?.env?.[0]?.value === value,
      );
      strictEqual(await seen("edited"), `${value}\n${wordOf(value)}`);
    }
    // What was written meanwhile is believed after a restart, and all of it is whole.
    const before = await agent.pods() ?? [];
    await agent.terminate();
    await Deno.writeTextFile(`${manifestPath}/edited.yaml`, "kind: [");
    await agent.start();
    const last = `${LEFT.length}`;
    strictEqual(await seen("edited"), `${last}\n${wordOf(last)}`);
    const now = await agent.until(
      "the same pods",
      (pods) => pods.length === before.length,
    );
    deepStrictEqual(containersOf(now), containersOf(before));
  });
});
