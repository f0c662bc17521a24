/**
 * How long pods and containers get to end, and which container ends after which.
 *
 * All in whole seconds, as Kubernetes and CRI count them.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { isRestartableInit } from "../../api/vocabulary/mod.ts";
import type { KillReason } from "../plan/mod.ts";

/** No pod gets less (kubelet: calculateEffectiveGracePeriod). */
export const MIN_POD_GRACE_SECONDS = 1;

/** No container gets less (kubelet: minimumGracePeriodInSeconds). */
const MIN_CONTAINER_GRACE_SECONDS = 2;

/**
 * The grace of a pod that is asked to stop, once more or for the first time.
 *
 * It only ever shrinks. An API server's word on the deletion and a request's own
 * both count when shorter than what holds; the spec only when neither is
 * given.
 *
 * @param current what earlier requests came to; `undefined` at the first
 */
export function effectivePodGrace(
  current: number | undefined,
  options: {
    readonly pod: Pod;
    /** What the request itself asks for: eviction, shutdown. */
    readonly requestedSeconds?: number | undefined;
  },
): number {
  const { pod, requestedSeconds } = options;
  const said = [pod.metadata.deletionGracePeriodSeconds, requestedSeconds]
    .filter((seconds) => seconds !== undefined);
  let grace = current;
  for (const seconds of said) {
    if (grace === undefined || grace === 0 || seconds < grace) grace = seconds;
  }
  grace ??= pod.spec.terminationGracePeriodSeconds ?? 0;
  return Math.max(MIN_POD_GRACE_SECONDS, grace);
}

/**
 * The grace of one container, before its preStop hook has used any of it.
 *
 * A probe that failed may bring a grace of its own; a terminating pod's word
 * outranks all. (kubelet: setTerminationGracePeriod)
 */
export function containerGrace(
  pod: Pod,
  options: {
    readonly container?: ContainerSpec | undefined;
    readonly reason?: KillReason | undefined;
    readonly overrideSeconds?: number | undefined;
  } = {},
): number {
  const { container, reason, overrideSeconds } = options;
  if (overrideSeconds !== undefined) return overrideSeconds;
  const deletion = pod.metadata.deletionGracePeriodSeconds;
  if (deletion !== undefined) return deletion;
  const spec = pod.spec.terminationGracePeriodSeconds;
  if (spec === undefined) return MIN_CONTAINER_GRACE_SECONDS;
  return probeGrace(container, reason) ?? spec;
}

/** The timeout of StopContainer, when hooks and waiting have used `usedSeconds`. */
export function stopTimeout(graceSeconds: number, usedSeconds = 0): number {
  return Math.max(
    MIN_CONTAINER_GRACE_SECONDS,
    graceSeconds - Math.floor(usedSeconds),
  );
}

/**
 * Names, for each running container, those that must end before it is stopped.
 *
 * Only sidecars wait: for every app container and every sidecar declared later,
 * as far as they run. (kubelet: terminationOrdering)
 */
export function terminationOrder(
  pod: Pod,
  running: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const order = new Map<string, readonly string[]>();
  for (const name of running) order.set(name, []);
  const before = pod.spec.containers
    .map((container) => container.name)
    .filter((name) => running.has(name));
  const sidecars = (pod.spec.initContainers ?? []).filter(isRestartableInit);
  for (const { name } of sidecars.reverse()) {
    if (!running.has(name)) continue;
    order.set(name, [...before]);
    before.push(name);
  }
  return order;
}

function probeGrace(
  container: ContainerSpec | undefined,
  reason: KillReason | undefined,
): number | undefined {
  switch (reason) {
    case "liveness_failed":
      return container?.livenessProbe?.terminationGracePeriodSeconds;
    case "startup_failed":
      return container?.startupProbe?.terminationGracePeriodSeconds;
    default:
      return undefined;
  }
}
