/**
 * What a look at one container tells of its pod.
 *
 * @module
 */

import type {
  ObservedContainer,
  ObservedPod,
  ObservedSandbox,
  ObservedState,
} from "../pod/observed/mod.ts";
import { podIps, withContainers } from "../runtime/observe/mod.ts";

/** One container of a pod as it was seen by itself. */
export interface PodPart {
  readonly containerId: string;
  /** `undefined` when the runtime does not have it any more. */
  readonly container: ObservedContainer | undefined;
  /** The pod's newest sandbox, when it was looked at as well. */
  readonly sandbox?: ObservedSandbox;
}

/**
 * The pod with that part of it brought up to date. Pure.
 *
 * A container goes from created to running to exited and never back, so of two looks
 * at it the one that shows it further on is the later, whichever answer came first.
 */
export function withPart(pod: ObservedPod, part: PodPart): ObservedPod {
  const { containerId, container, sandbox } = part;
  const shown = pod.containers.find(({ id }) => id === containerId);
  const isBehind = shown !== undefined && container !== undefined &&
    PROGRESS[shown.state] > PROGRESS[container.state];
  const containers = container === undefined
    ? pod.containers.filter(({ id }) => id !== containerId)
    : isBehind
    ? pod.containers
    : withContainers(pod, [container]).containers;
  if (sandbox === undefined) return { ...pod, containers };
  const sandboxes = pod.sandboxes.map((each) =>
    each.id === sandbox.id ? sandbox : each
  );
  return { ...pod, containers, sandboxes, ips: podIps(sandboxes, pod) };
}

/** What the runtime has lost sight of may be anything, so any other word outranks it. */
const PROGRESS: Readonly<Record<ObservedState, number>> = {
  unknown: 0,
  created: 1,
  running: 2,
  exited: 3,
};
