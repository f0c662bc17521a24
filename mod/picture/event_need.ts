/**
 * Whether a runtime event says anything new.
 *
 * @module
 */

import type { ContainerEvent } from "../cri/events/mod.ts";
import { isUnclearEnd, type ObservedPod } from "../pod/observed/mod.ts";

/** What a runtime event asks for. */
export type EventNeed =
  /** What it says is known, or does not matter. */
  | "nothing"
  /** An inspection of that container. */
  | "inspect"
  /** A list of the pod: its sandbox ended, or the container is not known. */
  | "list";

/**
 * Compares an event with what is known of the pod. Pure.
 *
 * Most events are about what the agent has just done itself, so most need nothing.
 */
export function eventNeed(
  pod: ObservedPod | undefined,
  event: Pick<ContainerEvent, "containerId" | "what">,
): EventNeed {
  const { containerId, what } = event;
  const container = pod?.containers.find(({ id }) => id === containerId);
  if (container !== undefined) {
    const { state } = container;
    switch (what) {
      case "created":
        return "nothing";
      case "started":
        return state === "running" || state === "exited"
          ? "nothing"
          : "inspect";
      case "stopped":
      case "deleted":
        // The next list finds that one which ended long ago was removed.
        return state === "exited" ? "nothing" : "inspect";
      case "oom":
        // The kernel may have ended any process of it; if it was the first, it ends.
        return isUnclearEnd(container) ? "inspect" : "nothing";
    }
  }
  const sandbox = pod?.sandboxes.find(({ id }) => id === containerId);
  const isEnd = what === "stopped" || what === "deleted";
  if (sandbox !== undefined) {
    return isEnd && sandbox.ready ? "list" : "nothing";
  }
  return what === "created" || what === "started" || what === "stopped"
    ? "list"
    : "nothing";
}
