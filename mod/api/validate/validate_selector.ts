/**
 * Checks which pods a workload means.
 *
 * @module
 */

import { matchesLabels } from "../access/mod.ts";
import type { Place } from "../fault/mod.ts";
import type {
  LabelSelector,
  PodTemplate,
  WorkloadKind,
} from "../workload/mod.ts";
import { each, shape } from "./checks.ts";
import { labelValueProblem } from "./names.ts";
import { validatePodTemplate } from "./validate_pod.ts";
import { LABEL_SELECTOR } from "./validate_scheduling.ts";

const VALUES = each(shape(labelValueProblem));

/** Reports what is wrong with a selector, values of expressions included. */
export function validateSelector(selector: LabelSelector, at: Place): void {
  LABEL_SELECTOR(selector, at);
  const expressions = selector.matchExpressions ?? [];
  for (const [i, { values }] of expressions.entries()) {
    VALUES(values, at.child("matchExpressions").index(i).child("values"));
  }
}

/** What has pods that run for ever. */
interface PodOwner {
  readonly kind: WorkloadKind;
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
}

/** Reports what is wrong with which pods are whose, and with what they look like. */
export function validateLastingPods(
  { kind, selector, template }: PodOwner,
  at: Place,
): void {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const selectorAt = at.child("selector");
  validateSelector(selector, selectorAt);
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) {
    selectorAt.invalid(selector, `empty selector is invalid for a ${kind}`);
  }
  const templateAt = at.child("template");
  const { metadata: { labels = {} } = {}, spec } = template;
  if (!matchesLabels(selector, labels)) {
    templateAt.child("metadata").child("labels").invalid(
      labels,
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
      `activeDeadlineSeconds in a ${kind} is not supported`,
    );
  }
}
