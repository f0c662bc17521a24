/**
 * Which containers a plan starts.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import type { PodPlan } from "../../pod/plan/mod.ts";
import type { StartTarget } from "./start_context.ts";

/** Lists what is started, in order: ephemeral, init, app; each in the plan's order. Pure. */
export function startTargets(pod: Pod, plan: PodPlan): readonly StartTarget[] {
  const { initContainers = [], containers, ephemeralContainers = [] } =
    pod.spec;
  const ephemeral = named(ephemeralContainers, plan.startEphemeral)
    .map((container): StartTarget => ({
      container,
      kind: "ephemeral",
      targetName: container.targetContainerName,
    }));
  const init = named(initContainers, plan.startInit)
    .map((container): StartTarget => ({ container, kind: "init" }));
  const app = named(containers, plan.start)
    .map((container): StartTarget => ({ container, kind: "app" }));
  return [...ephemeral, ...init, ...app];
}

function named<Container extends Pick<ContainerSpec, "name">>(
  containers: readonly Container[],
  names: readonly string[],
): readonly Container[] {
  return names.flatMap((name) =>
    containers.find((container) => container.name === name) ?? []
  );
}
