/**
 * Checks what makes pods as the API server checks it when it is created
 * (pkg/apis/apps/validation, pkg/apis/batch/validation, pkg/apis/core/validation).
 *
 * @module
 */

import { matchesLabels } from "../access/mod.ts";
import type { Place } from "../fault/mod.ts";
import type {
  LabelSelector,
  PodTemplate,
  WorkloadManifest,
} from "../workload/mod.ts";
import { validateMetadata } from "./validate_metadata.ts";
import { validatePodTemplate } from "./validate_pod.ts";
import { LABEL_SELECTOR } from "./validate_scheduling.ts";

/**
 * Reports everything that is wrong with a workload.
 *
 * Expects defaults to be filled in. That a selector is missing, and not empty, is
 * reported where it is read.
 */
export function validateWorkload(workload: WorkloadManifest, at: Place): void {
  const { kind, metadata, spec } = workload;
  const place = at.child("spec");
  validateMetadata(metadata, at.child("metadata"));
  switch (kind) {
    case "ReplicationController": {
      const matchLabels = spec.selector;
      return validatePods({ kind, ...spec, selector: { matchLabels } }, place);
    }
    case "ReplicaSet":
    case "Deployment":
    case "DaemonSet":
    case "StatefulSet":
      return validatePods({ kind, ...spec }, place);
    case "Job":
      return validatePodTemplate(spec.template, place.child("template"));
    case "CronJob":
      return validatePodTemplate(
        spec.jobTemplate.spec.template,
        place.child("jobTemplate").child("spec").child("template"),
      );
  }
}

interface PodOwner {
  readonly kind: WorkloadManifest["kind"];
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
}

/** Checks which pods are whose, and what they look like. */
function validatePods({ kind, selector, template }: PodOwner, at: Place): void {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const selectorAt = at.child("selector");
  LABEL_SELECTOR(selector, selectorAt);
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) {
    selectorAt.invalid(selector, "an empty selector would mean all pods");
  }
  const templateAt = at.child("template");
  const { metadata = {}, spec } = template;
  if (!matchesLabels(selector, metadata.labels)) {
    templateAt.child("metadata").child("labels").invalid(
      metadata.labels ?? {},
      "`selector` does not match template `labels`",
    );
  }
  validatePodTemplate(template, templateAt);
  const specAt = templateAt.child("spec");
  if (spec.restartPolicy !== "Always") {
    specAt.child("restartPolicy").unsupported(spec.restartPolicy, ["Always"]);
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    specAt.child("activeDeadlineSeconds").forbidden(
      `a ${kind} has its pods run for ever`,
    );
  }
}
