/**
 * The controllers of ReplicaSets and ReplicationControllers.
 *
 * @module
 */

import type {
  ReplicaSet,
  ReplicationController,
} from "../../api/workload/mod.ts";
import type { Controller } from "../run/mod.ts";
import {
  gatherReplicas,
  replicaSelector,
  type SeenReplicas,
  stepReplicas,
} from "./replica_step.ts";

/** Looks after ReplicaSets. */
export const replicaSetController: Controller<
  "ReplicaSet",
  SeenReplicas<ReplicaSet>
> = {
  kind: "ReplicaSet",
  name: "replicaset-controller",
  owns: ["Pod"],
  selector: replicaSelector,
  gather: gatherReplicas,
  step: stepReplicas,
};

/** Looks after ReplicationControllers. */
export const replicationController: Controller<
  "ReplicationController",
  SeenReplicas<ReplicationController>
> = {
  kind: "ReplicationController",
  name: "replication-controller",
  owns: ["Pod"],
  selector: replicaSelector,
  gather: gatherReplicas,
  step: stepReplicas,
};
