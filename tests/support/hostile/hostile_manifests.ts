/**
 * Manifests that must not run, each wrong in one way.
 *
 * @module
 */

import { hostileContainers } from "./containers.ts";
import { hostileMetadata } from "./metadata.ts";
import { hostileObjects } from "./objects.ts";
import type { HostileManifest } from "./row.ts";
import { hostileSpecs } from "./specs.ts";
import { hostileTexts } from "./texts.ts";
import { hostileVolumes } from "./volumes.ts";

/** All of them, in the order of the corpus; no two have the same title. */
export function hostileManifests(): HostileManifest[] {
  return [
    ...hostileTexts(),
    ...hostileMetadata(),
    ...hostileSpecs(),
    ...hostileVolumes(),
    ...hostileContainers(),
    ...hostileObjects(),
  ];
}

/** Every n-th of them, for where each one costs. */
export function hostileSample(every: number): HostileManifest[] {
  return hostileManifests().filter((_, at) => at % every === 0);
}
