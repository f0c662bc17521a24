/**
 * Many containers die at once, and none of them is forgotten.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../mod/api/types/mod.ts";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { runningContainers } from "../../scripts/lib/pod_views.ts";
import { withRuntime } from "../support/e2e/with_runtime.ts";

const PODS = 100;

/** As many pods take so long on a slow machine. */
const LIMIT_MS = 300_000;

withRuntime("deaths", (test) => {
  test("100 containers killed at once are all restarted, once each (PL-01)", async (runtime) => {
    await using agent = await AgentProcess.start(runtime.agentOptions());
    for (let at = 0; at < PODS; at++) {
      await agent.apply(`p${at}.json`, sleeper(`p${at}`));
    }
    const before = await agent.until("100 running", allRun, LIMIT_MS);
    const tasks = await runtime.rig.tools.tasks();
    for (const id of before.map(containerId)) {
      const pid = tasks.get(id) ?? 0;
      ok(pid > 1, `container ${id} has no process`);
      Deno.kill(pid, "SIGKILL");
    }
    const known = new Set(before.map(containerId));
    const after = await agent.until(
      "100 running again",
      (pods) =>
        allRun(pods) && !pods.some((pod) => known.has(containerId(pod))),
      LIMIT_MS,
    );
    for (const { metadata: { name }, status } of after) {
      const [container] = status?.containerStatuses ?? [];
      strictEqual(container?.restartCount, 1, name);
      strictEqual(container?.lastState?.terminated?.exitCode, 137, name);
    }
    // A pod is two tasks, its sandbox and its container.
    const running = [...(await runtime.rig.tools.tasks()).values()]
      .filter((pid) => pid > 1);
    strictEqual(running.length, 2 * PODS);
  });
});

function sleeper(name: string): Record<string, unknown> {
  return podManifest(name, {
    containers: [{ name: "main", command: ["sleep", "100000"] }],
  });
}

function allRun(pods: readonly Pod[]): boolean {
  return pods.length === PODS &&
    pods.every((pod) => runningContainers(pod) === 1);
}

function containerId({ status }: Pod): string {
  const { containerID = "" } = status?.containerStatuses?.[0] ?? {};
  return containerID.replace(/^.*:\/\//, "");
}
