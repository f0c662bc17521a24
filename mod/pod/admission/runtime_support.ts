/**
 * What a pod asks for that only some runtimes can do.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";

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
