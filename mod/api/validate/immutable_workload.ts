/**
 * What an edit of a workload changes that cannot change while it lives.
 *
 * @module
 */

import type { Fault } from "../fault/mod.ts";
import type { WorkloadManifest } from "../workload/mod.ts";
import { differences } from "./immutable_changes.ts";

/**
 * Lists the fields that differ and cannot change while a workload keeps its UID, by the
 * rules of the API server (ValidateDeploymentUpdate and its like). An edit with any of
 * them is refused as a whole.
 *
 * Expects both as manifests give them: of the same kind and name, with defaults, and
 * without what a store adds to a Job's selector and template.
 *
 * @param options.hasStarted Whether a Job has had pods. One that is suspended and has not
 * may still be sent elsewhere.
 */
export function immutableWorkloadChanges(
  before: WorkloadManifest,
  after: WorkloadManifest,
  options: { readonly hasStarted: boolean },
): readonly Fault[] {
  return changedFields(before, after, options).map((field) => ({
    field,
    message:
      `Forbidden: cannot change in a ${after.kind} that exists; give it another name, ` +
      "or remove it first",
  }));
}

function changedFields(
  before: WorkloadManifest,
  after: WorkloadManifest,
  options: { readonly hasStarted: boolean },
): readonly string[] {
  const all = differences(before.spec, after.spec, "spec");
  switch (after.kind) {
    case "ReplicationController":
    case "CronJob":
      return [];
    case "ReplicaSet":
    case "Deployment":
    case "DaemonSet":
      return all.filter((field) => isBelow(field, ["spec.selector"]));
    case "StatefulSet":
      return all.filter((field) => !isBelow(field, STATEFUL_SET_MAY));
    case "Job": {
      if (before.kind !== "Job") return all;
      const may = [
        ...(isElastic(before) && isElastic(after) ? ["spec.completions"] : []),
        ...(before.spec.suspend === true && !options.hasStarted
          ? SCHEDULING
          : []),
      ];
      return all.filter((field) =>
        isBelow(field, JOB_MUST_NOT) && !isBelow(field, may)
      );
    }
  }
}

/** What of a StatefulSet can change, all else cannot. */
const STATEFUL_SET_MAY: readonly string[] = [
  "spec.minReadySeconds",
  "spec.ordinals",
  "spec.persistentVolumeClaimRetentionPolicy",
  "spec.replicas",
  "spec.revisionHistoryLimit",
  "spec.template",
  "spec.updateStrategy",
];

/** What of a Job cannot change, all else can. */
const JOB_MUST_NOT: readonly string[] = [
  "spec.backoffLimitPerIndex",
  "spec.completionMode",
  "spec.completions",
  "spec.managedBy",
  "spec.podFailurePolicy",
  "spec.selector",
  "spec.successPolicy",
  "spec.template",
];

/** Where pods run and what they are called, as long as there are none. */
const SCHEDULING: readonly string[] = [
  "spec.template.metadata.annotations",
  "spec.template.metadata.labels",
  "spec.template.spec.affinity.nodeAffinity",
  "spec.template.spec.nodeSelector",
  "spec.template.spec.tolerations",
];

/** Whether a Job grows and shrinks with its pods. */
function isElastic(
  { spec }: Extract<WorkloadManifest, { readonly kind: "Job" }>,
): boolean {
  return spec.completionMode === "Indexed" &&
    spec.completions === spec.parallelism;
}

function isBelow(field: string, roots: readonly string[]): boolean {
  return roots.some((root) =>
    field === root || field.startsWith(`${root}.`) ||
    field.startsWith(`${root}[`)
  );
}
