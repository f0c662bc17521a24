/**
 * When a runtime says that a name is taken: a reply was lost, or something stale
 * was left behind.
 *
 * @module
 */

import { CriError, type RuntimeService } from "../../cri/model/mod.ts";
import { listPod } from "../observe/mod.ts";

/** How soon to look again when a name was taken, in milliseconds. */
export const RETRY_AFTER_CONFLICT_MS = 200;

/**
 * The id of what holds the name of a sandbox or container to be created; empty when
 * the runtime does not say, `undefined` when the failure is another one.
 *
 * containerd answers `name "x" is reserved for "<id>"` without a status of its own,
 * CRI-O `the container name "x" is already in use by <id>`. Pure.
 */
export function nameHolder(error: unknown): string | undefined {
  if (!(error instanceof CriError)) return undefined;
  const match = /is (?:reserved for|already in use by) "?([0-9a-f]{12,64})\b/
    .exec(error.detail);
  if (match?.[1] !== undefined) return match[1];
  return error.kind === "already_exists" ? "" : undefined;
}

/**
 * Makes a taken name free again, if what holds it is not to be seen: what the runtime
 * lists is dealt with by the next plan.
 *
 * @param holderId see {@linkcode nameHolder}
 * @returns whether the holder is listed
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function freeName(
  runtime: Pick<
    RuntimeService,
    | "listPodSandbox"
    | "listContainers"
    | "removeContainer"
    | "stopPodSandbox"
    | "removePodSandbox"
  >,
  holderId: string,
  of: {
    readonly uid: string;
    readonly kind: "sandboxes" | "containers";
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { uid, kind, signal } = of;
  try {
    const { [kind]: listed } = await listPod(runtime, uid, { signal });
    if (holderId === "") return listed.length > 0;
    if (listed.some(({ id }) => id === holderId)) return true;
    if (kind === "containers") {
      await runtime.removeContainer(holderId, { signal });
    } else {
      await runtime.stopPodSandbox(holderId, { signal });
      await runtime.removePodSandbox(holderId, { signal });
    }
  } catch {
    // The failure to create is what is reported; this was an attempt to heal it.
    signal.throwIfAborted();
  }
  return false;
}
