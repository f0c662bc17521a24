/**
 * Empties a runtime through its own CRI, whatever is left in it.
 *
 * @module
 */

import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import { connectCri } from "../../mod/cri/mod.ts";
import type { RuntimeService } from "../../mod/cri/model/mod.ts";
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
  const sandboxes = [...await runtime.listPodSandbox()];
  await Promise.all(Array.from({ length: LANES }, async () => {
    for (let next = sandboxes.pop(); next; next = sandboxes.pop()) {
      await removePod(runtime, next.id);
    }
  }));
}

/**
 * Again after a moment: an agent that was just ended may have left a call half done,
 * and containerd fails to stop what ends at that very instant ("ttrpc: closed").
 */
async function removePod(runtime: RuntimeService, id: string): Promise<void> {
  for (let left = ATTEMPTS; left > 1; left--) {
    try {
      return await tryRemovePod(runtime, id);
    } catch {
      await pause(1_000);
    }
  }
  await tryRemovePod(runtime, id);
}

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
