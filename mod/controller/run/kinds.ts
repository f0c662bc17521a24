/**
 * The kinds that controllers work with.
 *
 * @module
 */

import type { ApiObject } from "../../api/workload/mod.ts";
import type { ControllerKind, ControllerKinds } from "./step.ts";

/** Each kind with the version of its API. */
export const CONTROLLER_KINDS: Readonly<Record<ControllerKind, string>> = {
  Pod: "v1",
  PersistentVolumeClaim: "v1",
  ReplicationController: "v1",
  ReplicaSet: "apps/v1",
  Deployment: "apps/v1",
  DaemonSet: "apps/v1",
  StatefulSet: "apps/v1",
  ControllerRevision: "apps/v1",
  Job: "batch/v1",
  CronJob: "batch/v1",
};

/** Whether a word is one of those kinds. */
export function isControllerKind(kind: string): kind is ControllerKind {
  return Object.hasOwn(CONTROLLER_KINDS, kind);
}

/** Whether an object is of a kind. */
export function isOfKind<Kind extends ControllerKind>(
  kind: Kind,
  object: ApiObject,
): object is ControllerKinds[Kind] {
  return object.kind === kind && object.apiVersion === CONTROLLER_KINDS[kind];
}
