/**
 * Which images a pod names, and pulling those of changed containers before they are stopped.
 *
 * @module
 */

import { findContainer } from "../../api/vocabulary/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { PodPlan } from "../../pod/plan/mod.ts";
import type { ImagePuller } from "./images.ts";
import type { NamedImage } from "./named_image.ts";

/**
 * What of a plan is done now, and whether the rest waits for an image.
 *
 * Containers that run and are to be replaced because their definition has changed are
 * left out while the first pull of their new image goes on. When that has failed they are
 * stopped, as upstream does at once: the manifest no longer wants what runs.
 */
export async function pullFirst(
  puller: Pick<ImagePuller, "fetch">,
  { pod, plan, signal }: {
    readonly pod: Pod;
    readonly plan: PodPlan;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly plan: PodPlan; readonly isPulling: boolean }> {
  const later = new Set<string>();
  for (const { containerName, reason } of plan.kill) {
    const container = findContainer(pod, containerName);
    if (reason !== "spec_changed" || container === undefined) continue;
    const fetched = await puller.fetch(pod, container, { signal });
    if (fetched === "pulling") later.add(containerName);
  }
  if (later.size === 0) return { plan, isPulling: false };
  const isNow = (name: string): boolean => !later.has(name);
  const now: PodPlan = {
    ...plan,
    kill: plan.kill.filter(({ containerName }) => isNow(containerName)),
    start: plan.start.filter(isNow),
    startInit: plan.startInit.filter(isNow),
  };
  return { plan: now, isPulling: true };
}

/** Every image that a start of one of the pod's containers may have to pull. */
export function imagesOf(
  { spec }: Pick<Pod, "spec">,
): readonly NamedImage[] {
  const { initContainers = [], ephemeralContainers = [], volumes = [] } = spec;
  const [{ name = "" } = {}] = spec.containers;
  const mounted = volumes.flatMap(({ image }) =>
    image?.reference === undefined ? [] : [{
      name,
      image: image.reference,
      ...image.pullPolicy !== undefined &&
        { imagePullPolicy: image.pullPolicy },
    }]
  );
  const apps = spec.containers;
  return [...initContainers, ...apps, ...ephemeralContainers, ...mounted];
}
