/**
 * Why a pod is ended, in upstream's words.
 *
 * @module
 */

import type { ContainerUse } from "../usage/mod.ts";
import { starvedAmount } from "./starved_amount.ts";
import { amountIn, type Candidate } from "./ranking.ts";
import {
  type Observations,
  resourceOf,
  type StarvedResource,
} from "./signals.ts";
import { amountOf, type Threshold } from "./thresholds.ts";

/** Says what is short, and which containers of the pod use more of it than they asked for. */
export function evictionMessage(
  { pod, use }: Candidate,
  { threshold, observations }: {
    readonly threshold: Threshold;
    readonly observations: Observations;
  },
): string {
  const resource = resourceOf(threshold.signal);
  const observed = observations.get(threshold.signal);
  const figures = observed === undefined
    ? ""
    : `Threshold quantity: ${
      starvedAmount(amountOf(threshold.least, observed), resource)
    }, available: ${starvedAmount(observed.available, resource)}. `;
  const containers = use?.containers ?? [];
  const guilty = pod.spec.containers.flatMap(({ name, resources }) => {
    const found = containers.find((each) => each.name === name);
    const used = found && usedBy(found, resource);
    const asked = resources?.requests?.[resource] ?? "0";
    if (used === undefined || used <= amountIn(asked)) return [];
    return [
      `Container ${name} was using ${
        starvedAmount(used, resource)
      }, request is ${asked}, has larger consumption of ${resource}. `,
    ];
  });
  return `The node was low on resource: ${resource}. ${figures}${
    guilty.join("")
  }`;
}

function usedBy(
  { memoryBytes, layer, logs }: ContainerUse,
  resource: StarvedResource,
): number | undefined {
  switch (resource) {
    case "memory":
      return memoryBytes;
    case "ephemeral-storage":
      return layer === undefined && logs === undefined
        ? undefined
        : (layer?.bytes ?? 0) + (logs?.bytes ?? 0);
    // Upstream has no figures of them by container.
    case "inodes":
    case "pids":
      return undefined;
  }
}
