/**
 * What containerd runs, or has made, of a container that its CRI does not know to run.
 *
 * @module
 */

import {
  DeleteTaskRequest,
  KillRequest,
} from "../../../proto/gen/containerd/services/tasks/v1/tasks.ts";
import { CriError, unlessGone } from "../model/mod.ts";
import type { Method, Rpc, RpcOptions } from "../rpc/mod.ts";
import { CRI_NAMESPACE } from "./container_exit.ts";

const SERVICE = "/containerd.services.tasks.v1.Tasks";
const SIGKILL = 9;

const KILL: Method<string, void> = {
  name: "KillTask",
  path: `${SERVICE}/Kill`,
  metadata: { "containerd-namespace": CRI_NAMESPACE },
  requestType: {
    encode: (containerId, writer) =>
      KillRequest.encode(
        { containerId, execId: "", signal: SIGKILL, all: true },
        writer,
      ),
  },
  responseType: { decode: () => {} },
};

const DELETE: Method<string, void> = {
  name: "DeleteTask",
  path: `${SERVICE}/Delete`,
  metadata: { "containerd-namespace": CRI_NAMESPACE },
  requestType: {
    encode: (containerId, writer) =>
      DeleteTaskRequest.encode({ containerId }, writer),
  },
  responseType: { decode: () => {} },
};

/**
 * Makes a call that removes a container or a sandbox, and once more without the task in its
 * way.
 *
 * The CRI wants what still runs to be ended by force then. Where a start was cut off since
 * its caller ended, containerd 1.6 has a task of a container that its CRI calls exited, and
 * refuses to remove it for as long as it runs itself.
 *
 * @throws {CriError} Also when the task ends too slowly: the next try finds it ended.
 */
export async function removeWithTask(
  rpc: Pick<Rpc, "call">,
  remove: () => Promise<void>,
  limits: RpcOptions,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    const containerId = leftTaskOf(error);
    if (containerId === undefined) throw error;
    await endTask(rpc, containerId, limits);
    await remove();
  }
}

async function endTask(
  rpc: Pick<Rpc, "call">,
  containerId: string,
  limits: RpcOptions,
): Promise<void> {
  try {
    await rpc.call(KILL, containerId, limits);
  } catch (error) {
    if (!(error instanceof CriError) || error.kind === "cancelled") throw error;
    // It may have ended; whether it can be deleted is what counts.
  }
  // Another removal at the same time, of its sandbox for example, may have deleted it.
  await unlessGone(rpc.call(DELETE, containerId, limits));
}

/** Which container containerd does not remove since it has a task. */
function leftTaskOf(error: unknown): string | undefined {
  if (!(error instanceof CriError)) return undefined;
  const at = error.detail.indexOf(WORDS);
  if (at < 0) return undefined;
  const start = at + WORDS.length;
  const end = error.detail.indexOf(":", start);
  return end > start ? error.detail.slice(start, end) : undefined;
}

/** Of containerd's client, `Delete` in container.go; the id and a colon follow. */
const WORDS = "cannot delete running task ";
