/**
 * What a workload is called, and what it makes pods from.
 *
 * @module
 */

import type {
  PodTemplate,
  WorkloadKind,
  WorkloadManifest,
} from "./workload.ts";

/** Every kind that makes pods, with its one version. */
export const WORKLOAD_VERSIONS: Readonly<Record<WorkloadKind, string>> = {
  ReplicationController: "v1",
  ReplicaSet: "apps/v1",
  Deployment: "apps/v1",
  DaemonSet: "apps/v1",
  StatefulSet: "apps/v1",
  Job: "batch/v1",
  CronJob: "batch/v1",
};

/** Whether that is the name of a kind that makes pods. */
export function isWorkloadKind(kind: unknown): kind is WorkloadKind {
  return typeof kind === "string" && Object.hasOwn(WORKLOAD_VERSIONS, kind);
}

/** Says what a workload is called. */
export function workloadId(
  { kind, metadata: { namespace, name } }: WorkloadManifest,
): {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
} {
  return { kind, namespace, name };
}

/** What a workload makes pods from, and the path of the field where that stands. */
export function workloadTemplate(
  workload: WorkloadManifest,
): { readonly template: PodTemplate; readonly path: readonly string[] } {
  return workload.kind === "CronJob"
    ? {
      template: workload.spec.jobTemplate.spec.template,
      path: ["spec", "jobTemplate", "spec", "template"],
    }
    : { template: workload.spec.template, path: ["spec", "template"] };
}
