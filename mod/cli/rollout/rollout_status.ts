/**
 * How far a rollout is, in kubectl's words.
 *
 * They are those of k8s.io/kubectl's pkg/polymorphichelpers/rollout_status.go.
 *
 * @module
 */

import {
  fieldAt,
  numberAt,
  shownCondition,
  type ShownObject,
  textAt,
} from "../kinds/mod.ts";

/** What a rollout has come to. */
export type RolloutStatus =
  | { readonly kind: "waiting" | "done"; readonly text: string }
  | { readonly kind: "failed"; readonly why: string };

/** Says how far it is; `undefined` of kinds that have no rollouts. */
export function rolloutStatus(
  object: ShownObject,
): RolloutStatus | undefined {
  switch (object.kind) {
    case "Deployment":
      return deploymentStatus(object);
    case "DaemonSet":
      return daemonStatus(object);
    case "StatefulSet":
      return statefulStatus(object);
    default:
      return undefined;
  }
}

function deploymentStatus(object: ShownObject): RolloutStatus {
  if (!isSeen(object)) return unseen(object.kind);
  const { name } = object.metadata;
  const reason = shownCondition(object, "Progressing")?.["reason"];
  if (reason === "ProgressDeadlineExceeded") {
    const why = `deployment "${name}" exceeded its progress deadline`;
    return { kind: "failed", why };
  }
  const wanted = numberAt(object, "spec.replicas");
  const all = numberAt(object, "status.replicas");
  const updated = numberAt(object, "status.updatedReplicas");
  const available = numberAt(object, "status.availableReplicas");
  const begin = `Waiting for deployment "${name}" rollout to finish:`;
  if (updated < wanted) {
    return waiting(
      `${begin} ${updated} out of ${wanted} new replicas have been updated...`,
    );
  }
  if (all > updated) {
    return waiting(
      `${begin} ${all - updated} old replicas are pending termination...`,
    );
  }
  if (available < updated) {
    return waiting(
      `${begin} ${available} of ${updated} updated replicas are available...`,
    );
  }
  return done(`deployment "${name}" successfully rolled out`);
}

function daemonStatus(object: ShownObject): RolloutStatus {
  if (textAt(object, "spec.updateStrategy.type") !== "RollingUpdate") {
    return onlyRolling();
  }
  if (!isSeen(object)) return unseen(object.kind);
  const { name } = object.metadata;
  const wanted = numberAt(object, "status.desiredNumberScheduled");
  const updated = numberAt(object, "status.updatedNumberScheduled");
  const available = numberAt(object, "status.numberAvailable");
  const begin = `Waiting for daemon set "${name}" rollout to finish:`;
  if (updated < wanted) {
    return waiting(
      `${begin} ${updated} out of ${wanted} new pods have been updated...`,
    );
  }
  if (available < wanted) {
    return waiting(
      `${begin} ${available} of ${wanted} updated pods are available...`,
    );
  }
  return done(`daemon set "${name}" successfully rolled out`);
}

function statefulStatus(object: ShownObject): RolloutStatus {
  if (textAt(object, "spec.updateStrategy.type") !== "RollingUpdate") {
    return onlyRolling();
  }
  if (numberAt(object, "status.observedGeneration") === 0 || !isSeen(object)) {
    return unseen(object.kind);
  }
  const wanted = numberAt(object, "spec.replicas");
  const missing = wanted - numberAt(object, "status.readyReplicas");
  if (missing > 0) return waiting(`Waiting for ${missing} pods to be ready...`);
  const updated = numberAt(object, "status.updatedReplicas");
  const partition = "spec.updateStrategy.rollingUpdate.partition";
  if (fieldAt(object, partition) !== undefined) {
    const parted = wanted - numberAt(object, partition);
    return updated < parted
      ? waiting(
        `Waiting for partitioned roll out to finish: ${updated} out of ${parted} new pods have been updated...`,
      )
      : done(
        `partitioned roll out complete: ${updated} new pods have been updated...`,
      );
  }
  const next = textAt(object, "status.updateRevision") ?? "";
  const current = textAt(object, "status.currentRevision") ?? "";
  if (next !== current) {
    return waiting(
      `waiting for statefulset rolling update to complete ${updated} pods at revision ${next}...`,
    );
  }
  const count = numberAt(object, "status.currentReplicas");
  return done(
    `statefulset rolling update complete ${count} pods at revision ${current}...`,
  );
}

/** Of what its agent, or its controller, has not seen the newest. */
export function unseen(kind: string): RolloutStatus {
  const word = kind === "DaemonSet" ? "daemon set" : kind.toLowerCase();
  return waiting(`Waiting for ${word} spec update to be observed...`);
}

/** Whether its controller has seen the newest of it. */
function isSeen(object: ShownObject): boolean {
  const { generation = 0 } = object.metadata;
  return generation <= numberAt(object, "status.observedGeneration");
}

function waiting(text: string): RolloutStatus {
  return { kind: "waiting", text };
}

function done(text: string): RolloutStatus {
  return { kind: "done", text };
}

function onlyRolling(): RolloutStatus {
  const why =
    "rollout status is only available for RollingUpdate strategy type";
  return { kind: "failed", why };
}
