/**
 * Giving a pull so much time and no more.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import { formatDuration } from "../../base/text/mod.ts";
import type { ImageService } from "../../cri/model/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";

/**
 * Longest time for one pull. The CRI reports no progress. containerd gives up a pull
 * that makes none for five minutes, so this is for a runtime that hangs itself, and long
 * enough for an image of 1 GB over a line of 2.5 Mbit/s. (The kubelet has no limit.)
 */
export const PULL_LIMIT_MS = 3_600_000;

/**
 * Has the runtime pull an image.
 *
 * @returns the reference by which a container names it
 * @throws {Error} when it is not there in time
 * @throws {unknown} what the runtime says, and the reason of the signal when it aborts
 */
export async function pullWithin(
  limitMs: number,
  wanted: {
    readonly image: string;
    readonly sandboxConfig: SandboxConfig | undefined;
    readonly signal: AbortSignal;
  },
  deps: {
    readonly images: Pick<ImageService, "pullImage">;
    readonly clock: Clock;
  },
): Promise<string> {
  const { image, sandboxConfig, signal } = wanted;
  const limit = new AbortController();
  using _limit = deps.clock.after(limitMs, () => limit.abort());
  try {
    return await deps.images.pullImage({ image }, {
      signal: AbortSignal.any([signal, limit.signal]),
      ...(sandboxConfig === undefined ? {} : { sandboxConfig }),
    });
  } catch (error) {
    if (signal.aborted || !limit.signal.aborted) throw error;
    throw new Error(
      `Cannot pull image "${image}": the runtime was still pulling after ${
        formatDuration(limitMs)
      }, the longest time that a pull has`,
      { cause: error },
    );
  }
}
