/**
 * What removes that which is of no use any more: remains of pods, dead containers, images.
 *
 * @module
 */

import type { Sessions } from "../base/mod.ts";
import { DeadContainers, keptAt, PodRemains } from "../agent/sync/mod.ts";
import type { GarbageCollector } from "../collect/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { PressureParts } from "../pressure/mod.ts";
import type { ImageRemovals } from "../reclaim/mod.ts";
import type { PulledImages } from "../runtime/images/mod.ts";
import type { StatusManager } from "../status/mod.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { RuntimeParts } from "./core_runtime.ts";
import type { Sources } from "./core_sources.ts";
import {
  buildImageCollector,
  type ManifestKnowers,
  namedImages,
} from "./image_collection.ts";
import type { OwnedPods } from "./owned_pods.ts";

interface GarbageDeps
  extends
    CoreDeps,
    RuntimeParts,
    Pick<Sources, "storage" | "sourcesReady" | "expectedPods"> {
  readonly sessions: Sessions;
  readonly collector: GarbageCollector;
  readonly statuses: StatusManager;
  readonly removals: ImageRemovals;
  readonly owned: OwnedPods;
  /** What is remembered of images goes with them. */
  readonly pulledImages: PulledImages;
  /** Built later, with what this builds. */
  readonly agent: () => ManifestKnowers["agent"];
}

/** What collects, and how the agent makes use of it. */
interface GarbageParts {
  readonly remains: PodRemains;
  readonly background: readonly { run(signal: AbortSignal): Promise<void> }[];
  readonly reclaimers: PressureParts["reclaimers"];
}

/** Builds it; nothing runs yet. */
export function buildGarbage(
  config: AgentConfig,
  deps: GarbageDeps,
): GarbageParts {
  const { clock, owned, picture, executor } = deps;
  const kept = config.deadContainers;
  const remains = new PodRemains({
    ...deps,
    directories: owned,
    kept: () => keptAt(clock.now(), kept),
  });
  const pods = () => [...owned.uids].flatMap((uid) => picture.get(uid) ?? []);
  const dead = new DeadContainers({ clock, remains, pods }, kept);
  const holds = () => executor.imageHolds();
  const sandboxImage = () => deps.connection.features()?.sandboxImage;
  const images = buildImageCollector(config, {
    ...deps,
    records: deps.pulledImages,
    named: () =>
      namedImages({ ...deps, holds, sandboxImage, agent: deps.agent() }),
  });
  return {
    remains,
    background: [dead, images.collector],
    reclaimers: [images.reclaimer],
  };
}
