/**
 * Whether a pod can go on in the sandbox it has.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { ObservedPod } from "../observed/mod.ts";
import type { SandboxFault, SandboxStep } from "./plan_steps.ts";

/** Go on in the newest sandbox, or make another. */
export type SandboxDecision = Exclude<SandboxStep, { readonly kind: "stop" }>;

/** Decides about the sandbox (kubelet: runtimeutil.PodSandboxChanged). */
export function decideSandbox(
  pod: Pod,
  observed: ObservedPod,
): SandboxDecision {
  const newest = observed.sandboxes[0];
  if (newest === undefined) {
    const taken = observed.taken?.sandboxAttempts ?? [];
    return {
      kind: "create",
      attempt: Math.max(-1, ...taken) + 1,
      replacesId: undefined,
      why: "none_exists",
    };
  }
  const why = findFault(pod, observed);
  if (why === undefined) {
    return { kind: "keep", sandboxId: newest.id, attempt: newest.attempt };
  }
  return {
    kind: "create",
    attempt: newest.attempt + 1,
    replacesId: newest.id,
    why,
  };
}

function findFault(pod: Pod, observed: ObservedPod): SandboxFault | undefined {
  const ready = observed.sandboxes.filter((sandbox) => sandbox.ready);
  if (ready.length > 1) return "several_ready";
  const newest = observed.sandboxes[0];
  if (newest === undefined || !newest.ready) return "not_ready";
  // The manifest gave its fixed UID another name while the agent was away.
  const { name, namespace } = pod.metadata;
  if (observed.name !== name || observed.namespace !== namespace) {
    return "name_differs";
  }
  const hostNetwork = pod.spec.hostNetwork === true;
  if (newest.hostNetwork !== hostNetwork) return "network_mode_differs";
  // No network status at all is a runtime that does not say; only an empty
  // address is one that says there is none.
  if (!hostNetwork && newest.ip === "") return "no_address";
  return undefined;
}
