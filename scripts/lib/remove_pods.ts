/**
 * Empties a runtime through its own CRI, whatever is left in it.
 *
 * @module
 */

import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import { connectCri } from "../../mod/cri/mod.ts";
import type { RuntimeService } from "../../mod/cri/model/mod.ts";
import { RuntimeTools } from "./runtime_tools.ts";
import { PATIENCE_MS, pause } from "./wait_until.ts";

/** How many pods are removed at the same time. */
const LANES = 8;

/** Stops and removes every sandbox, and with it every container. */
export async function removeAllPods(socketPath: string): Promise<void> {
  await using connection = connectCri({ endpoint: socketPath }, {
    clock: systemClock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
  });
  await connection.ready(AbortSignal.timeout(PATIENCE_MS));
  const { runtime } = connection;
  const tools = new RuntimeTools(socketPath);
  const sandboxes = [...await runtime.listPodSandbox()];
  await Promise.all(Array.from({ length: LANES }, async () => {
    for (let next = sandboxes.pop(); next; next = sandboxes.pop()) {
      await removePod(runtime, next.id, tools);
    }
  }));
}

/**
 * Again after a moment: an agent that was just ended may have left a call half done,
 * and containerd fails to stop what ends at that very instant ("ttrpc: closed").
 */
async function removePod(
  runtime: RuntimeService,
  id: string,
  tools: RuntimeTools,
): Promise<void> {
  for (let left = ATTEMPTS; left > 1; left--) {
    try {
      return await tryRemovePod(runtime, id);
    } catch (error) {
      await removeLeftTask(runtime, tools, error);
      await pause(1_000);
    }
  }
  await tryRemovePod(runtime, id);
}

/**
 * Removes the task that a start left behind which was cut off as its caller ended:
 * containerd 1.6 fails with "failed to get task pid: context canceled", calls the container
 * exited, forgets the task, and removes the container never.
 */
async function removeLeftTask(
  runtime: RuntimeService,
  tools: RuntimeTools,
  error: unknown,
): Promise<void> {
  const [, id] = LEFT_TASK.exec(String(error)) ?? [];
  if (id === undefined) return;
  const { state } = await runtime.containerStatus(id);
  // What the CRI knows to run it can stop.
  if (state !== "exited" && state !== "created") return;
  await tools.ctr(["tasks", "delete", "--force", id]);
}

const LEFT_TASK = /cannot delete running task ([0-9a-f]{64}):/;

const ATTEMPTS = 5;

async function tryRemovePod(
  runtime: RuntimeService,
  id: string,
): Promise<void> {
  for (const container of await runtime.listContainers({ sandboxId: id })) {
    await runtime.stopContainer(container.id, 0);
  }
  await runtime.stopPodSandbox(id);
  await runtime.removePodSandbox(id);
}
