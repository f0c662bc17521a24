/**
 * The status of one container, for the tests that ask for nothing else.
 *
 * @module
 */

import type {
  ContainerStatus,
  Pod,
  PodStatus,
} from "../../../mod/api/types/mod.ts";
import {
  buildPodStatus,
  type StatusInput,
} from "../../../mod/pod/status/status.ts";
import { observed, statusInput } from "../observed_pods.ts";
import { bareStatus, container, IMAGE, pod } from "../pods.ts";

/** A pod of the one container a. */
export const one: Pod = pod({ containers: [container("a")] });
/** The same, never restarted. */
export const never: Pod = pod({
  containers: [container("a")],
  restartPolicy: "Never",
});

/** What an input may differ in. */
export type Changes = Partial<StatusInput>;

/** The status of container a. */
export function statusOf(changes: Changes = {}): ContainerStatus {
  const input = statusInput({ pod: one, observed: observed(), ...changes });
  const status = buildPodStatus(input).containerStatuses?.[0];
  if (status === undefined) throw new Error("Cannot test: no status was built");
  return status;
}

/** What was reported before of container a. */
export function previously(
  rest: Partial<ContainerStatus>,
): { readonly previous: PodStatus } {
  const status = bareStatus("a", { image: IMAGE, ...rest });
  return { previous: { phase: "Running", containerStatuses: [status] } };
}
