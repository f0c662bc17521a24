/**
 * What a pod's RuntimeClass adds to the pod.
 *
 * @module
 */

import {
  formatQuantity,
  type RuntimeClassObject,
} from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";

/**
 * The pod as an API server would have stored it: with the class's overhead, where
 * the pod names none, and with the labels that the class wants of a node.
 *
 * What the pod says itself stays; `runtimeClassConflict()` tells where that
 * contradicts the class. Upstream: plugin/pkg/admission/runtimeclass.
 */
export function withRuntimeClass(
  pod: Pod,
  runtimeClass: RuntimeClassObject,
): Pod {
  const { overhead, nodeSelector } = runtimeClass;
  const { spec } = pod;
  const addsOverhead = overhead.size > 0 && spec.overhead === undefined;
  const addsLabels = Object.keys(nodeSelector).length > 0;
  if (!addsOverhead && !addsLabels) return pod;
  return {
    ...pod,
    spec: {
      ...spec,
      ...addsOverhead ? { overhead: amounts(runtimeClass) } : {},
      ...addsLabels
        ? { nodeSelector: { ...nodeSelector, ...spec.nodeSelector } }
        : {},
    },
  };
}

/**
 * Says where a pod contradicts its class: a label of the node that must have two
 * values at once. No node is right for such a pod.
 */
export function runtimeClassConflict(
  pod: Pick<Pod, "spec">,
  runtimeClass: RuntimeClassObject,
): string | undefined {
  const own = pod.spec.nodeSelector ?? {};
  const conflict = Object.entries(runtimeClass.nodeSelector).find((
    [label, value],
  ) => Object.hasOwn(own, label) && own[label] !== value);
  if (conflict === undefined) return undefined;
  const [label, value] = conflict;
  return `Cannot place the pod: RuntimeClass "${runtimeClass.name}" wants "${value}" for node label "${label}", the pod "${
    own[label]
  }"`;
}

function amounts(runtimeClass: RuntimeClassObject): Record<string, string> {
  return Object.fromEntries(
    Array.from(
      runtimeClass.overhead,
      ([name, quantity]) => [name, formatQuantity(quantity)],
    ),
  );
}
