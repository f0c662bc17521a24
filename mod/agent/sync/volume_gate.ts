/**
 * What of a pod can go on while some of its volumes are not ready.
 *
 * @module
 */

import { findContainer, isRestartableInit } from "../../api/vocabulary/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { SyncFailure } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import type { PodPlan } from "../../pod/plan/mod.ts";
import {
  mountFailure,
  type VolumeSetup,
  volumesUsedBy,
} from "../../volume/mod.ts";

/** Whether a volume of the pod is made from what other objects, or the pod itself, say. */
export function hasObjectVolumes(pod: Pick<Pod, "spec">): boolean {
  return (pod.spec.volumes ?? []).some((volume) =>
    volume.configMap !== undefined || volume.secret !== undefined ||
    volume.downwardAPI !== undefined || volume.projected !== undefined
  );
}

/** A plan as far as it can be carried out, and the containers that have to wait. */
export interface GatedPlan {
  readonly plan: PodPlan;
  /** One for each container that waits. */
  readonly failures: readonly SyncFailure[];
}

/**
 * Takes out of a plan what needs a volume that is not ready: those containers do not
 * start, and are not stopped to be started again. What needs none of these volumes
 * goes on; the kubelet would let all of the pod wait. Pure.
 */
export function withoutVolumes(
  plan: PodPlan,
  pod: Pod,
  volumes: VolumeSetup,
): GatedPlan {
  if (volumes.kind === "ok") return { plan, failures: [] };
  const failures: SyncFailure[] = [];
  const isReady = (name: string): boolean => {
    const container = findContainer(pod, name);
    const used = volumesUsedBy(container === undefined ? [] : [container]);
    const missing = [...volumes.failures].filter(([volume]) =>
      used.has(volume)
    );
    if (missing.length === 0) return true;
    const unready = missing.map(([, volume]) => volume);
    failures.push({ container: name, ...mountFailure(unready) });
    return false;
  };
  const startInit = upToFirstMissing(plan.startInit, { pod, isReady });
  const start = plan.start.filter(isReady);
  const startEphemeral = plan.startEphemeral.filter(isReady);
  const waiting = new Set(failures.map(({ container }) => container));
  const kill = plan.kill.filter((step) => !waiting.has(step.containerName));
  return {
    plan: { ...plan, kill, start, startInit, startEphemeral },
    failures,
  };
}

/**
 * Whether all of a pod waits for its volumes. A pod that begins does, as in the
 * kubelet, so that none begins by halves; later each container is judged by its own
 * volumes, and only a sandbox that no container could be put into waits. Pure.
 */
export function mustWait(
  { pod, observed, plan }: {
    readonly pod: Pod;
    readonly observed: ObservedPod;
    readonly plan: PodPlan;
  },
  volumes: VolumeSetup,
): boolean {
  if (volumes.kind === "ok" || plan.sandbox.kind !== "create") return false;
  if (observed.sandboxes.length === 0) return true;
  const { start, startInit, startEphemeral } = withoutVolumes(
    plan,
    pod,
    volumes,
  ).plan;
  return start.length + startInit.length + startEphemeral.length === 0;
}

/** What follows an ordinary init container may count on its work. */
function upToFirstMissing(
  names: readonly string[],
  of: { readonly pod: Pod; readonly isReady: (name: string) => boolean },
): string[] {
  const { pod, isReady } = of;
  const ready: string[] = [];
  for (const name of names) {
    if (isReady(name)) {
      ready.push(name);
      continue;
    }
    const container = findContainer(pod, name);
    if (container !== undefined && !isRestartableInit(container)) break;
  }
  return ready;
}
