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
 * What the pod says itself stays; `runtimeClassConflict()` says where that contradicts the
 * class. Upstream: plugin/pkg/admission/runtimeclass.
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
      ...(addsOverhead && { overhead: amounts(runtimeClass) }),
      ...(addsLabels &&
        { nodeSelector: { ...nodeSelector, ...spec.nodeSelector } }),
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

/** What the runtime has said of itself, as far as pods depend on it. */
export interface RuntimeSupport {
  /** Empty when the runtime does not list them (containerd before 2.0). */
  readonly handlers: readonly {
    readonly name: string;
    readonly userNamespaces: boolean;
  }[];
  readonly supplementalGroupsPolicy: boolean;
}

/** Why a runtime cannot run a pod. */
export interface RuntimeLack {
  /** As upstream: the status and event reason of a pod refused for it. */
  readonly reason:
    | "PodFeatureUnsupported"
    | "SupplementalGroupsPolicyNotSupported";
  readonly message: string;
}

/**
 * Says what the runtime lacks for a pod under one of its handlers. What it does
 * not say that it can, it cannot: a runtime passes over fields that it does not
 * know, and the pod would run with more rights than it asked for.
 *
 * Upstream: pkg/kubelet/lifecycle/predicate.go, kuberuntime GetRuntimeHandler and
 * pkg/kubelet/userns.
 *
 * @param handler the name of the runtime's handler; empty for its default
 */
export function runtimeLack(
  pod: Pick<Pod, "spec">,
  runtime: RuntimeSupport | undefined,
  handler: string,
): RuntimeLack | undefined {
  const { hostUsers, securityContext } = pod.spec;
  if (
    securityContext?.supplementalGroupsPolicy === "Strict" &&
    runtime?.supplementalGroupsPolicy !== true
  ) {
    return {
      reason: "SupplementalGroupsPolicyNotSupported",
      message: "SupplementalGroupsPolicy=Strict is not supported in this node",
    };
  }
  if (hostUsers !== false) return undefined;
  const known = runtime?.handlers.find(({ name }) => name === handler);
  if (known?.userNamespaces === true) return undefined;
  return {
    reason: "PodFeatureUnsupported",
    message:
      `Cannot give the pod a user namespace ("hostUsers: false"): the runtime ${
        known === undefined ? "does not say whether" : "says that"
      } its handler "${handler}" ${
        known === undefined ? "has them" : "has none"
      }`,
  };
}
