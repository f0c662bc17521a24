/**
 * What this node has against a pod that is valid in itself.
 *
 * @module
 */

import type { EventSink, Pod, PodBody } from "../api/types/mod.ts";
import { type Fault, formatFault } from "../api/fault/mod.ts";
import { immutableChanges } from "../api/validate/mod.ts";
import { podRef } from "../api/objects/mod.ts";
import { defined } from "../base/mod.ts";
import { UNSUPPORTED_REASON, unsupportedFields } from "../pod/admission/mod.ts";
import {
  deniedByGrants,
  type NetworkGrants,
  unreachedPods,
} from "./network_grants.ts";

/** What the agent thinks of a pod, whatever the node. */
export interface PodVerdict {
  /** Each of them refuses the manifest. */
  readonly faults: readonly Fault[];
  /** What the pod will lack. */
  readonly warnings: readonly Fault[];
}

/**
 * The event reason for what is allowed in a manifest and seldom meant; the kubelet
 * has none, since there the API server answers it to the client.
 */
const WARNING_REASON = "ManifestWarning";

/** The event reason for an edit that a pod of a fixed UID cannot follow. */
const IMMUTABLE_REASON = "FieldImmutable";

/**
 * Says what an agent would think of a valid pod, for `skerry validate`.
 *
 * @param options.podNetworks The networks that the agent will be given. When they are
 * not known, that it needs some is a warning.
 */
export function judgePod(
  pod: Pick<PodBody, "spec">,
  options: { readonly podNetworks?: readonly string[] | undefined },
): PodVerdict {
  const { podNetworks } = options;
  const { faults, warnings } = judgeFields(pod);
  return {
    faults: podNetworks === undefined
      ? faults
      : [...faults, ...deniedByGrants(pod, { podNetworks, nodeAddresses: [] })],
    warnings: [
      ...warnings,
      ...unreachedPods(pod, { podNetworks: podNetworks ?? [] }),
    ],
  };
}

/** Says which fields of a valid pod the agent does not honour. */
function judgeFields(pod: Pick<PodBody, "spec">): PodVerdict {
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  for (const { field, message, severity } of unsupportedFields(pod)) {
    (severity === "refuse" ? faults : warnings).push({ field, message });
  }
  return { faults, warnings };
}

/**
 * Lists why the pod cannot run here; records as events what it will lack, and what of
 * an edit does not reach the pod that runs.
 *
 * It is asked where manifests are read, so that an edit which asks for too much is
 * refused like any other bad edit and the pod that runs is kept.
 *
 * @param found what is allowed in the manifest and seldom meant
 */
export function checkManifestPod(
  pod: Pod,
  found: readonly Fault[],
  deps: {
    readonly events: EventSink;
    readonly network: NetworkGrants;
    /** The pod of that UID that the sources gave last. */
    readonly current: (uid: string) => Pod | undefined;
  },
): Fault[] {
  const { faults, warnings } = judgeFields(pod);
  const refusals = [...faults, ...deniedByGrants(pod, deps.network)];
  // What is refused lacks nothing else, and may be asked of again and again.
  if (refusals.length > 0) return refusals;
  // A template's pods are asked of when they are made, and have the events.
  if (pod.metadata.uid === "") return [];
  const record = (reason: string, found: readonly Fault[]): void => {
    for (const fault of found) {
      const message = formatFault(fault);
      deps.events.record(podRef(pod), { type: "Warning", reason, message });
    }
  };
  record(UNSUPPORTED_REASON, warnings);
  record(WARNING_REASON, [...found, ...unreachedPods(pod, deps.network)]);
  const before = deps.current(pod.metadata.uid);
  if (before !== undefined) {
    const after = { ...byClass(before.spec), ...pod.spec };
    record(IMMUTABLE_REASON, immutableChanges(before.spec, after));
  }
  return [];
}

/** What a pod may have by its class of priority alone. */
function byClass(
  { priority, priorityClassName, preemptionPolicy }: PodBody["spec"],
): Partial<PodBody["spec"]> {
  return defined({ priority, priorityClassName, preemptionPolicy });
}
