/**
 * What an API server's pods are to this agent.
 *
 * @module
 */

import type { Pod, PodStatus } from "../../api/types/mod.ts";
import { ANNOTATION_CONFIG_MIRROR } from "../../api/vocabulary/mod.ts";
import { isTerminalPhase, OWNED_CONDITIONS } from "../../pod/status/mod.ts";

/** Why the agent does not run a pod, as its status is to say it. */
export interface PodRefusal {
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** What came of reading a pod. */
export type PodReading =
  | { readonly kind: "read"; readonly pod: Pod }
  | { readonly kind: "refused"; readonly refusal: PodRefusal };

/** What a pod of the server is to the agent. */
export type ReadPod =
  | { readonly kind: "wanted"; readonly pod: Pod; readonly begun: Begun }
  | { readonly kind: "refused"; readonly refusal: PodRefusal }
  /** A mirror of a manifest, or over before it began. */
  | { readonly kind: "left" };

/** What the server shows of containers, were it by the word of an agent that is no more. */
export type Begun = Pick<
  PodStatus,
  "containerStatuses" | "initContainerStatuses"
>;

const LEFT: ReadPod = { kind: "left" };

/** Reads each version of a pod once. */
export class ApiPodReader {
  readonly #read: (pod: Pod) => PodReading;
  /** Objects of an informer, which are never altered. */
  readonly #done = new WeakMap<Pod, ReadPod>();

  constructor(read: (pod: Pod) => PodReading) {
    this.#read = read;
  }

  read(pod: Pod): ReadPod {
    const done = this.#done.get(pod);
    if (done !== undefined) return done;
    const read = this.#readNew(pod);
    this.#done.set(pod, read);
    return read;
  }

  #readNew(pod: Pod): ReadPod {
    if (isMirror(pod)) return LEFT;
    const reading = this.#read(pod);
    if (reading.kind === "refused") return reading;
    const { status = {} } = reading.pod;
    return wasRefused(reading.pod) ? LEFT : {
      kind: "wanted",
      pod: wantedPart(reading.pod),
      begun: containersOf(status),
    };
  }
}

/**
 * The pod with what the server showed of its containers when this agent found it: an agent
 * that has lost its notes, on a runtime that has forgotten them, must not take it for new.
 */
export function withBegun(pod: Pod, begun: Begun = {}): Pod {
  const { containerStatuses = [] } = begun;
  const hasBegun = containerStatuses.some(({ containerID }) =>
    containerID !== undefined
  );
  // One that is over says so itself.
  return !hasBegun || pod.status?.containerStatuses !== undefined
    ? pod
    : { ...pod, status: { ...pod.status, ...containersOf(begun) } };
}

/** Whether a pod only shows the cluster what a manifest of this node made. */
export function isMirror({ metadata }: Pod): boolean {
  return metadata.annotations?.[ANNOTATION_CONFIG_MIRROR] !== undefined;
}

/** Whether the server wants it gone. */
export function isToGo({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** A pod as it was when it could be read, with what its metadata say of its end. */
export function lastGood(before: Pod, { metadata }: Pod): Pod {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined) return before;
  return {
    ...before,
    metadata: {
      ...before.metadata,
      deletionTimestamp,
      ...(deletionGracePeriodSeconds !== undefined &&
        { deletionGracePeriodSeconds }),
    },
  };
}

/**
 * Whether a pod has ended without ever having had a container: a refusal is final in a
 * cluster, where a controller makes another pod in its place.
 */
function wasRefused({ status }: Pod): boolean {
  return isTerminalPhase(status?.phase) &&
    (status?.containerStatuses ?? []).length === 0;
}

/** A pod without what changes by this agent's own word, or means nothing to it. */
function wantedPart({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { resourceVersion: _version, managedFields: _managed, ...rest } =
    metadata;
  const known = foreignStatus(status);
  const pod: Pod = { apiVersion, kind, metadata: rest, spec };
  return known === undefined ? pod : { ...pod, status: known };
}

/**
 * Conditions of others, of which readiness may depend, and an end that stays one: an agent
 * that has lost its notes must not run it again.
 */
function foreignStatus(status: PodStatus = {}): PodStatus | undefined {
  const { phase, reason, message, startTime } = status;
  const conditions =
    status.conditions?.filter(({ type }) => !OWNED_CONDITIONS.has(type)) ?? [];
  const known: PodStatus = {
    ...(isTerminalPhase(phase) && {
      phase,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
      ...containersOf(status),
    }),
    ...(startTime !== undefined && { startTime }),
    ...(conditions.length > 0 && { conditions }),
  };
  return Object.keys(known).length === 0 ? undefined : known;
}

function containersOf(
  { containerStatuses, initContainerStatuses }: Begun,
): Begun {
  return {
    ...(containerStatuses !== undefined && { containerStatuses }),
    ...(initContainerStatuses !== undefined && { initContainerStatuses }),
  };
}
