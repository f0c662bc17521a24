/**
 * Events in the form of the Kubernetes API.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import { subdomainProblem } from "../api/validate/mod.ts";
import { formatTime } from "../pod/status/mod.ts";
import { hashText } from "./correlator.ts";
import type { RecordedEvent } from "./history.ts";

/** What the kubelet calls itself in its events. */
const COMPONENT = "kubelet";

/**
 * Writes one event as the kubelet would have sent it.
 *
 * Its name is that of the pod with the nanoseconds of its first occurrence, as in
 * `makeEvent` of client-go's tools/record/event.go; both stay the same as it repeats.
 */
export function toWireEvent(
  event: RecordedEvent,
  node: { readonly nodeName: string },
): WireEvent {
  const { pod, fieldPath, component = COMPONENT } = event;
  const created = formatTime(event.bornMs);
  const suffix = suffixOf(event);
  const uid = uidOf(event, suffix);
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: nameOf(`${pod.name}.${suffix}`, uid),
      // Where the API keeps the events of what has none.
      namespace: pod.namespace || "default",
      uid,
      resourceVersion: String(event.sequence),
      creationTimestamp: created,
    },
    involvedObject: {
      apiVersion: pod.apiVersion ?? "v1",
      kind: pod.kind ?? "Pod",
      namespace: pod.namespace,
      name: pod.name,
      ...(pod.uid !== "" && { uid: pod.uid }),
      ...(fieldPath !== undefined && { fieldPath }),
    },
    reason: event.reason,
    message: event.message,
    source: { component, host: node.nodeName },
    firstTimestamp: formatTime(event.firstMs),
    lastTimestamp: formatTime(event.lastMs),
    count: event.count,
    type: event.type,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: node.nodeName,
  };
}

/** As upstream's GenerateEventName: what is no name for an API server is replaced. */
function nameOf(wanted: string, uid: string): string {
  return subdomainProblem(wanted) === undefined ? wanted : uid;
}

/** An event as an API server takes it. */
export type NewEvent = Omit<WireEvent, "metadata"> & {
  readonly metadata: Pick<WireEvent["metadata"], "namespace" | "name">;
};

/** How an API server knows the object of an event. */
export interface KnownObject {
  readonly uid: string;
  /** The one that the agent has seen last, if it follows the object. */
  readonly resourceVersion?: string;
}

/** Writes one event for an API server that does not have it. */
export function toNewEvent(
  event: RecordedEvent,
  { nodeName, known: { uid, ...version } }: {
    readonly nodeName: string;
    readonly known: KnownObject;
  },
): NewEvent {
  const { metadata: { namespace, name }, involvedObject, ...rest } =
    toWireEvent(event, { nodeName });
  return {
    ...rest,
    metadata: { namespace, name },
    involvedObject: {
      ...involvedObject,
      ...(uid !== "" && { uid }),
      ...version,
    },
  };
}

/** Two events of one millisecond differ by what stands where the clock has no digits. */
function suffixOf({ bornMs, id }: RecordedEvent): string {
  const nanos = BigInt(Math.trunc(bornMs)) * 1_000_000n +
    BigInt(id % 1_000_000);
  return BigInt.asUintN(64, nanos).toString(16);
}

/** The same for the same event, so that nothing has to be remembered; no secret. */
function uidOf({ pod }: RecordedEvent, suffix: string): string {
  const low = hashText(`${pod.namespace}/${pod.name}/${pod.uid}`).toString(16)
    .padStart(8, "0");
  const high = suffix.padStart(16, "0");
  const more = hashText(`${low}${high}`).toString(16).padStart(8, "0");
  const hex = `${high}${low}${more}`;
  // The shape of a random UUID.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join("-");
}
