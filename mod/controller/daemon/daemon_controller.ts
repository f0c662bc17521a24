/**
 * The controller of DaemonSets.
 *
 * @module
 */

import type { Controller } from "../run/mod.ts";
import {
  type DaemonNode,
  gatherDaemonSet,
  type SeenDaemonSet,
  stepDaemonSet,
} from "./daemon_step.ts";

/** Looks after the part of DaemonSets that is one node's. */
export function daemonSetController(
  node: DaemonNode,
): Controller<"DaemonSet", SeenDaemonSet> {
  return {
    kind: "DaemonSet",
    name: "daemonset-controller",
    owns: ["Pod", "ControllerRevision"],
    selector: ({ spec }) => spec.selector,
    gather: gatherDaemonSet,
    step: (seen, nowMs, watched) =>
      stepDaemonSet(seen, { node, nowMs, watched }),
  };
}
