/**
 * What controllers ask of a pod, and how they make one.
 *
 * @module
 */

import type { NewObject } from "../../api/access/mod.ts";
import type { ContainerStatus, Pod } from "../../api/types/mod.ts";
import { isRestartableInit } from "../../api/vocabulary/mod.ts";
import type { ApiObject, PodTemplate } from "../../api/workload/mod.ts";
import { findCondition } from "../../pod/status/mod.ts";
import { isEnding } from "./life.ts";
import { controllerReference } from "./owner.ts";

/** Whether a pod has neither ended nor is to end (upstream's IsPodActive). */
export function isActivePod(pod: Pod): boolean {
  return !isEnding(pod) && !isEndedPod(pod);
}

/** Whether a pod is to end and has not yet (upstream's IsPodTerminating). */
export function isTerminatingPod(pod: Pod): boolean {
  return isEnding(pod) && !isEndedPod(pod);
}

/** Whether a pod has ended for good. */
export function isEndedPod({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Whether a pod is ready, and since when in milliseconds since the epoch. */
export function readySince({ status }: Pod): number | undefined {
  const ready = findCondition(status?.conditions, "Ready");
  if (ready?.status !== "True") return undefined;
  const { lastTransitionTime } = ready;
  return lastTransitionTime === undefined ? 0 : Date.parse(lastTransitionTime);
}

/**
 * When a pod is available: after it was ready for `minReadySeconds` without a break.
 *
 * @returns 0 when it is now, `undefined` when it is not ready or does not say since when,
 * else the milliseconds that are missing, never more than the whole time
 */
export function availableInMs(
  pod: Pod,
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  const sinceMs = readySince(pod);
  if (sinceMs === undefined) return undefined;
  if (sinceMs === 0 && minReadySeconds > 0) return undefined;
  const wholeMs = minReadySeconds * 1000;
  const aheadMs = sinceMs - nowMs;
  // The clock was set back: until it is there again nobody knows how long it was ready.
  if (aheadMs > wholeMs) return 0;
  return Math.min(Math.max(aheadMs + wholeMs, 0), wholeMs);
}

/** When the next of several pods becomes available by itself; absent when none waits for that. */
export function nextAvailableInMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  const waits = pods.flatMap((pod) =>
    availableInMs(pod, minReadySeconds, nowMs) || []
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** What is said of the sidecars of a pod. */
export function sidecarStatuses(
  { spec, status }: Pod,
): readonly ContainerStatus[] {
  const sidecars = new Set(
    spec.initContainers?.filter(isRestartableInit).map(({ name }) => name),
  );
  return status?.initContainerStatuses
    ?.filter(({ name }) => sidecars.has(name)) ?? [];
}

/** The pod that an owner makes from its template; its name is made from the owner's. */
export function podFromTemplate(
  owner: ApiObject,
  template: PodTemplate,
): NewObject & {
  readonly metadata: NonNullable<PodTemplate["metadata"]>;
  readonly spec: PodTemplate["spec"];
} {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: owner.metadata.namespace,
      generateName: namePrefix(owner.metadata.name),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(finalizers !== undefined && { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: template.spec,
  };
}

/** Upstream leaves the hyphen out when the name would not be one with it. */
function namePrefix(owner: string): string {
  return owner.length >= LONGEST_NAME ? owner : `${owner}-`;
}

/** Of a DNS subdomain. */
const LONGEST_NAME = 253;
