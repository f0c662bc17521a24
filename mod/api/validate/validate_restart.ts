/**
 * Checks how a container is restarted and resized.
 *
 * @module
 */

import { checkEnum, requireText, Uniques } from "./checks.ts";
import type { Place } from "../fault/mod.ts";
import type { ContainerSpec, PodSpec } from "../types/mod.ts";

/** As the API server's limit on the rules of one container. */
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/** Reports what is wrong with a container's restart policy, rules and resize policy. */
export function validateRestart(
  container: ContainerSpec,
  at: Place,
  spec: PodSpec,
): void {
  const { restartPolicy, restartPolicyRules = [] } = container;
  checkEnum(
    restartPolicy,
    ["Always", "OnFailure", "Never"],
    at.child("restartPolicy"),
  );
  const place = at.child("restartPolicyRules");
  if (restartPolicyRules.length > 0 && restartPolicy === undefined) {
    at.child("restartPolicy").required(
      "must be set when there are restart rules",
    );
  }
  if (restartPolicyRules.length > MAX_RULES) {
    place.tooLong(`must not have more than ${MAX_RULES} rules`);
  }
  for (const [i, rule] of restartPolicyRules.entries()) {
    validateRule(rule, place.index(i));
  }
  validateResizePolicy(container, at.child("resizePolicy"), spec);
}

function validateRule(
  rule: NonNullable<ContainerSpec["restartPolicyRules"]>[number],
  at: Place,
): void {
  requireText(rule.action, at.child("action"));
  if (rule.action) {
    const actions = ["Restart", "RestartAllContainers"];
    checkEnum(rule.action, actions, at.child("action"));
  }
  const place = at.child("exitCodes");
  if (rule.exitCodes === undefined) {
    place.required();
    return;
  }
  const { operator, values = [] } = rule.exitCodes;
  requireText(operator, place.child("operator"));
  if (operator) checkEnum(operator, ["In", "NotIn"], place.child("operator"));
  if (values.length === 0) place.child("values").required();
  if (values.length > MAX_EXIT_CODES) {
    place.child("values").tooLong(
      `must not have more than ${MAX_EXIT_CODES} exit codes`,
    );
  }
  const seen = new Set<number>();
  for (const [i, code] of values.entries()) {
    if (seen.has(code)) place.child("values").index(i).duplicate(code);
    seen.add(code);
  }
}

function validateResizePolicy(
  container: ContainerSpec,
  at: Place,
  spec: PodSpec,
): void {
  const resources = new Uniques();
  for (const [i, policy] of (container.resizePolicy ?? []).entries()) {
    const place = at.index(i);
    const { resourceName, restartPolicy } = policy;
    checkEnum(
      resourceName ?? "",
      ["cpu", "memory"],
      place.child("resourceName"),
    );
    resources.check(resourceName, place.child("resourceName"));
    checkEnum(
      restartPolicy ?? "",
      ["NotRequired", "RestartContainer"],
      place.child("restartPolicy"),
    );
    if (
      spec.restartPolicy === "Never" && restartPolicy === "RestartContainer"
    ) {
      place.child("restartPolicy").forbidden(
        "must be NotRequired when the pod's restartPolicy is Never",
      );
    }
  }
}
