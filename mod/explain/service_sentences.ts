/**
 * Where a Service leads, in sentences.
 *
 * @module
 */

import {
  type DeclaredService,
  isSelected,
  serviceTarget,
  type ServingPod,
} from "../pod/inputs/mod.ts";

// More names than these say nothing more.
const MAX_NAMED = 5;

/**
 * Says where programs are led that use a Service, or why nowhere.
 *
 * @param pods those that are made to run, whatever their labels
 */
export function explainService(
  service: DeclaredService,
  pods: readonly ServingPod[],
): readonly string[] {
  const meant = pods.filter(({ pod }) => isSelected(pod, service));
  const labels = Object.entries(service.selector).toSorted()
    .map((each) => each.join("=")).join(",");
  if (meant.length === 0) {
    return [
      `It leads nowhere: no pod of namespace "${service.namespace}" has the labels ${labels} that it selects`,
    ];
  }
  const target = serviceTarget(service, pods);
  if (target === undefined) {
    return [`It leads nowhere: ${whyNone(service, meant, labels)}`];
  }
  // Only a lone port may have no name.
  const found = new Set(target.ports.map(({ name }) => name));
  const absent = service.ports.filter(({ name }) => !found.has(name));
  return [
    `It leads to ${target.address}, the address of the oldest pod that can serve`,
    ...absent.map(({ port, targetPort }) =>
      `Port ${port} leads nowhere: that pod has no port named "${targetPort}"`
    ),
  ];
}

function whyNone(
  { publishNotReadyAddresses, ports }: DeclaredService,
  meant: readonly ServingPod[],
  labels: string,
): string {
  const ready = meant.filter(({ isReady }) =>
    isReady || publishNotReadyAddresses
  );
  if (ready.length === 0) {
    return `none of the pods with the labels ${labels} is ready: ${
      namesOf(meant)
    }`;
  }
  const placed = ready.filter(({ address }) => address !== undefined);
  if (placed.length === 0) {
    return `no pod with the labels ${labels} has an address yet: ${
      namesOf(ready)
    }`;
  }
  const wanted = ports.map(({ targetPort }) => `"${targetPort}"`).join(" or ");
  return `none of the pods that can serve has a port named ${wanted}: ${
    namesOf(placed)
  }`;
}

function namesOf(pods: readonly ServingPod[]): string {
  const names = pods.map(({ pod }) => pod.metadata.name).toSorted();
  const rest = names.length - MAX_NAMED;
  const shown = names.slice(0, MAX_NAMED).join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
