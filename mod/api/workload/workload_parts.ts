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
