/**
 * Whether a hint says anything new.
 *
 * @module
 */

import type { Moved } from "../cri/events/mod.ts";
import { isUnclearEnd, type ObservedPod } from "../pod/observed/mod.ts";

/** What a hint asks for. */
export type HintNeed =
  /** What it tells is known, or is nothing that matters. */
  | "nothing"
  /** A look at that container. */
  | "glimpse"
  /** A list of the pod: the sandbox ended, or there is a container that nobody knows. */
  | "list";

/**
 * Compares a hint with what is known of the pod. Pure.
 *
 * Most hints are about what the agent has just done itself, so most need nothing.
 */
export function hintNeed(
  pod: ObservedPod | undefined,
  hint: Pick<Moved, "containerId" | "what">,
): HintNeed {
  const { containerId, what } = hint;
  const container = pod?.containers.find(({ id }) => id === containerId);
  if (container !== undefined) {
    const { state } = container;
    switch (what) {
      case "created":
        return "nothing";
      case "started":
        return state === "running" || state === "exited"
          ? "nothing"
          : "glimpse";
      case "stopped":
      case "deleted":
        // That one which ended long ago was removed is for the next list to find.
        return state === "exited" ? "nothing" : "glimpse";
      case "oom":
        // The kernel may have ended any process of it; if it was the first, it ends.
        return isUnclearEnd(container) ? "glimpse" : "nothing";
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
