/**
 * What is remembered of pulled images, from the start of the agent to its end.
 *
 * @module
 */

import { TaskGroup } from "../base/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { CriConnection } from "../cri/mod.ts";
import { diskFiles } from "../host/files/mod.ts";
import { PulledImages } from "../runtime/images/mod.ts";
import type { PodExecutor } from "../runtime/start/mod.ts";
import type { CoreDeps } from "./core_deps.ts";

/** Reads the records of an earlier agent. */
export async function loadPulledImages(
  { images, paths }: AgentConfig,
  deps: Pick<CoreDeps, "clock" | "log">,
): Promise<PulledImages> {
  const { verificationPolicy: policy, verificationAllowlist: allowlist } =
    images;
  return await PulledImages.load({ ...deps, files: diskFiles }, {
    // Upstream's name.
    directory: `${paths.rootDir}/image_manager`,
    rules: { policy, allowlist },
  });
}

/**
 * The ends of pulls. Beside them, records of images are dropped that the runtime has not
 * any more, once it answers: the next image of that name may come by another way.
 */
export async function* pullEnds(
  executor: Pick<PodExecutor, "pullEnds">,
  deps: Pick<CoreDeps, "log"> & {
    readonly connection: {
      ready(signal: AbortSignal): Promise<unknown>;
      readonly images: Pick<CriConnection["images"], "listImages">;
    };
    readonly pulledImages: PulledImages;
  },
  signal: AbortSignal,
): AsyncIterable<string> {
  const { connection, log, pulledImages } = deps;
  await using tasks = new TaskGroup(signal);
  tasks.start(async (signal) => {
    await connection.ready(signal);
    try {
      const list = () => connection.images.listImages({ signal });
      await pulledImages.forgetGone(list);
    } catch (error) {
      signal.throwIfAborted();
      log.warn("image_records_not_compared", { error });
    }
  });
  yield* executor.pullEnds(signal);
}
