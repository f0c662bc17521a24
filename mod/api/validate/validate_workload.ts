/**
 * Checks what makes pods as the API server checks it when it is created
 * (pkg/apis/apps/validation, pkg/apis/batch/validation, pkg/apis/core/validation).
 *
 * @module
 */

import type { Place } from "../fault/mod.ts";
import type {
  LabelSelector,
  PodTemplate,
  WorkloadKind,
  WorkloadManifest,
} from "../workload/mod.ts";
import { checkFields, range } from "./checks.ts";
import { validateCronJob, validateJob } from "./validate_job.ts";
import { validateMetadata } from "./validate_metadata.ts";
import {
  DAEMON_SET,
  DEPLOYMENT,
  STATEFUL_SET,
  withClaims,
} from "./validate_rollout.ts";
import { validatePodTemplate } from "./validate_pod.ts";
import { validateSelected } from "./validate_scheduling.ts";

const REPLICAS = { replicas: range(0), minReadySeconds: range(0) } as const;

/**
 * Reports everything that is wrong with a workload.
 *
 * Expects defaults to be filled in. That a selector is missing, and not empty, is
 * reported where it is read.
 */
export function validateWorkload(workload: WorkloadManifest, at: Place): void {
  const { kind, spec } = workload;
  const specAt = at.child("spec");
  validateMetadata(workload.metadata, at.child("metadata"));
  switch (kind) {
    case "ReplicationController": {
      const { selector: matchLabels, template } = spec;
      checkFields(spec, specAt, REPLICAS);
      const pods = { kind, template, selector: { matchLabels } };
      return validateLastingPods(pods, specAt);
    }
    case "ReplicaSet":
      checkFields(spec, specAt, REPLICAS);
      return validateLastingPods({ kind, ...spec }, specAt);
    case "Deployment":
      checkFields(spec, specAt, DEPLOYMENT);
      return validateLastingPods({ kind, ...spec }, specAt);
    case "DaemonSet":
      checkFields(spec, specAt, DAEMON_SET);
      return validateLastingPods({ kind, ...spec }, specAt);
    case "StatefulSet": {
      checkFields(spec, specAt, STATEFUL_SET);
      const { selector } = spec;
      const template = withClaims(spec);
      return validateLastingPods({ kind, selector, template }, specAt);
    }
    case "Job":
      return validateJob(workload, at);
    case "CronJob":
      return validateCronJob(workload, at);
  }
}

/** What has pods that run for ever. */
interface PodOwner {
  readonly kind: WorkloadKind;
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
}

/** The labels that controllers write into pods, or into the versions that these are of. */
const GIVEN_LABELS: Partial<Record<WorkloadKind, readonly string[]>> = {
  Deployment: ["pod-template-hash"],
  DaemonSet: ["controller-revision-hash"],
  StatefulSet: [
    "apps.kubernetes.io/pod-index",
    "controller-revision-hash",
    "controller.kubernetes.io/hash",
    "statefulset.kubernetes.io/pod-name",
  ],
};

/** Reports what is wrong with which pods are whose, and with what they look like. */
function validateLastingPods(
  { kind, selector, template }: PodOwner,
  at: Place,
): void {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const given = GIVEN_LABELS[kind] ?? [];
  validateSelected({ selector, template, given }, at);
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) {
    at.child("selector").invalid(
      selector,
      `empty selector is invalid for a ${kind}`,
    );
  }
  const templateAt = at.child("template");
  const { spec } = template;
  validatePodTemplate(template, templateAt);
  const specAt = templateAt.child("spec");
  if (spec.restartPolicy !== "Always") {
    specAt.child("restartPolicy").unsupported(spec.restartPolicy, ["Always"]);
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    specAt.child("activeDeadlineSeconds").forbidden(
      `activeDeadlineSeconds in a ${kind} is not supported`,
    );
  }
}
