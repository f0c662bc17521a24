/**
 * What an edit changes that cannot change in a pod that lives, or in what makes pods.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import type { Fault } from "../fault/mod.ts";
import type { PodSpec } from "../types/mod.ts";
import type { WorkloadManifest } from "../workload/mod.ts";
import type { Toleration } from "./validate_scheduling.ts";

/**
 * Lists the fields of `spec` that differ and cannot change while a pod keeps its
 * UID, by the rules of the API server (ValidatePodUpdate): images, the requests and
 * limits of cpu and memory, a shorter `activeDeadlineSeconds`, more tolerations and
 * `terminationGracePeriodSeconds` can.
 *
 * The kubelet takes any edit of a pod from a file and leaves open what comes of it;
 * these words are for a warning. Expects defaults to be filled in. That a resize may
 * not change the pod's QoS class is judged where resizes are planned.
 */
export function immutableChanges(before: PodSpec, after: PodSpec): Fault[] {
  const faults = differences(before, after, "spec")
    .filter((field) => !CHANGEABLE.some((pattern) => pattern.test(field)))
    .map((field): Fault => ({ field, message: FIXED }));
  return [
    ...faults,
    ...deadlineChange(before, after),
    ...tolerationChange(before, after),
  ];
}

const FIXED =
  "Forbidden: cannot change in a pod that keeps its UID; give the pod another " +
  "metadata.uid, or none, and it is replaced";

const CHANGEABLE: readonly RegExp[] = [
  /^spec\.(?:containers|initContainers)\[\d+\]\.image$/,
  /^spec\.(?:(?:containers|initContainers)\[\d+\]\.)?resources\.(?:limits|requests)\[(?:cpu|memory)\]$/,
  /^spec\.terminationGracePeriodSeconds$/,
  // These two have rules of their own.
  /^spec\.activeDeadlineSeconds$/,
  /^spec\.tolerations(?:$|\[)/,
];

/** Fields whose entries are named by the manifest and not by the API. */
const MAPS: ReadonlySet<string> = new Set([
  "annotations",
  "labels",
  "limits",
  "matchLabels",
  "nodeSelector",
  "overhead",
  "requests",
]);

/** Paths at which the two differ; a list of another length differs as a whole. */
function differences(
  a: unknown,
  b: unknown,
  path: string,
): string[] {
  if (Object.is(a, b)) return [];
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return [path];
    return a.flatMap((item, i) => differences(item, b[i], `${path}[${i}]`));
  }
  // What is absent has the same fields as what is empty.
  if (isMapping(a, b) && isMapping(b, a)) {
    const left = new Map(Object.entries(a ?? {}));
    const right = new Map(Object.entries(b ?? {}));
    const isMap = MAPS.has(path.slice(path.lastIndexOf(".") + 1));
    return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) =>
      differences(
        left.get(key),
        right.get(key),
        isMap ? `${path}[${key}]` : `${path}.${key}`,
      )
    );
  }
  return [path];
}

function isMapping(
  value: unknown,
  other: unknown,
): value is object | undefined {
  if (value === undefined) {
    return typeof other === "object" && !Array.isArray(other);
  }
  return isRecord(value);
}

function deadlineChange(before: PodSpec, after: PodSpec): Fault[] {
  const field = "spec.activeDeadlineSeconds";
  const { activeDeadlineSeconds: old } = before;
  const { activeDeadlineSeconds: now } = after;
  if (old === undefined || old === now) return [];
  if (now === undefined) {
    return [{ field, message: "Forbidden: cannot be taken away" }];
  }
  return now > old
    ? [{ field, message: "Forbidden: cannot become more than it was" }]
    : [];
}

function tolerationChange(before: PodSpec, after: PodSpec): Fault[] {
  const now = new Set((after.tolerations ?? []).map(tolerationKey));
  const isKept = (before.tolerations ?? []).every((toleration) =>
    now.has(tolerationKey(toleration))
  );
  return isKept ? [] : [{
    field: "spec.tolerations",
    message:
      "Forbidden: a toleration cannot be taken away, nor changed in more than its tolerationSeconds",
  }];
}

function tolerationKey(toleration: Toleration): string {
  const { key, operator, value, effect } = toleration;
  return JSON.stringify([key, operator, value, effect]);
}

/**
 * Lists the fields that differ and cannot change while a workload keeps its UID, by the
 * rules of the API server (ValidateDeploymentUpdate and its like). An edit with any of
 * them is refused as a whole.
 *
 * Expects both in one form: of the same kind and name, with defaults, and both with or
 * both without what a store adds to a Job's selector and template.
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
