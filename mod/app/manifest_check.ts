/**
 * What this node has against a pod that is valid in itself.
 *
 * @module
 */

import { type EventSink, type Fault, type Pod, podRef } from "../api/mod.ts";
import {
  deniedByGrants,
  type NetworkGrants,
  UNSUPPORTED_REASON,
  unsupportedFields,
} from "../pod/mod.ts";

/** What the check needs of the node. */
export interface ManifestCheckDeps {
  readonly events: EventSink;
  readonly network: NetworkGrants;
}

/**
 * Lists why the pod cannot run here; tells by an event what it will lack.
 *
 * It is asked where manifests are read, so that an edit which asks for too much is
 * refused like any other bad edit and the pod that runs is kept.
 */
export function checkManifestPod(pod: Pod, deps: ManifestCheckDeps): Fault[] {
  const unsupported = unsupportedFields(pod);
  for (const { field, message, severity } of unsupported) {
    if (severity !== "warn") continue;
    deps.events.record(podRef(pod), {
      type: "Warning",
      reason: UNSUPPORTED_REASON,
      message: `${field}: ${message}`,
    });
  }
  return [
    ...unsupported.filter(({ severity }) => severity === "refuse")
      .map(({ field, message }) => ({ field, message })),
    ...deniedByGrants(pod, deps.network),
  ];
}
